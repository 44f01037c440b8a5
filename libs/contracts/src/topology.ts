import {
  createOptOutRpc,
  deleteOptOutRpc,
  getContactRpc,
  getOptOutRpc,
  listContactsRpc,
  listOptOutsRpc,
  resolveContactsRpc,
  upsertContactRpc,
} from './contacts/rpc.js';
import type { RpcDefinition } from './grammar/define-rpc.js';
import {
  applySuppressionsRpc,
  changeConversationRpc,
  getChannelRpc,
  getConversationRpc,
  getMessageRpc,
  getQuotaRpc,
  listChannelsRpc,
  listConversationsRpc,
  listMessagesRpc,
  sendMessageOnceRpc,
  sendMessageRpc,
} from './messaging/rpc.js';

/** A durable consumer that a service owns on another service's stream. */
export interface ConsumerTopology {
  readonly name: string;
  readonly stream: string;
  /** One subject filter: all that a server of version 2.9 knows, and all that is needed. */
  readonly filter: string;
  /** Unacknowledged messages at most, over all replicas. */
  readonly ackPendingMax: number;
}

/** What a service may do on NATS; streams, consumers and permissions are generated from this alone. */
export interface ServiceTopology {
  readonly serves: readonly RpcDefinition[];
  readonly calls: readonly RpcDefinition[];
  /** Its stream holds `<service>.>`; null for a service that tells nothing. */
  readonly stream: string | null;
  readonly consumes: readonly ConsumerTopology[];
}

/** Takes callbacks of the upstream into messages. */
export const messagingCallbacksConsumer: ConsumerTopology = {
  name: 'messaging-callbacks',
  stream: 'GATEWAY',
  filter: 'gateway.callback.>',
  ackPendingMax: 2_000,
};

/** Keeps messaging's projection of contacts. */
export const messagingContactsConsumer: ConsumerTopology = {
  name: 'messaging-contacts',
  stream: 'CONTACTS',
  filter: 'contacts.contact.>',
  ackPendingMax: 2_000,
};

/** Keeps the contacts service's projection of channels. */
export const contactsChannelsConsumer: ConsumerTopology = {
  name: 'contacts-channels',
  stream: 'MESSAGING',
  filter: 'messaging.channel.>',
  ackPendingMax: 500,
};

/** Records opt-outs that the upstream told in answer to a send. */
export const contactsOptOutsConsumer: ConsumerTopology = {
  name: 'contacts-opt-outs',
  stream: 'MESSAGING',
  filter: 'messaging.opt-out.>',
  ackPendingMax: 500,
};

/** What the gateway asks contacts for. */
const contactRequests = [
  upsertContactRpc,
  getContactRpc,
  listContactsRpc,
  createOptOutRpc,
  getOptOutRpc,
  listOptOutsRpc,
  deleteOptOutRpc,
];

/** What the gateway asks messaging for. */
const messagingRequests = [
  sendMessageRpc,
  sendMessageOnceRpc,
  getMessageRpc,
  listMessagesRpc,
  getConversationRpc,
  listConversationsRpc,
  changeConversationRpc,
  listChannelsRpc,
  getQuotaRpc,
];

/** The services and their ways to each other. */
export const topology = {
  gateway: {
    serves: [],
    calls: [...messagingRequests, ...contactRequests],
    stream: 'GATEWAY',
    consumes: [],
  },
  messaging: {
    serves: [...messagingRequests, getChannelRpc, applySuppressionsRpc],
    calls: [resolveContactsRpc, getContactRpc],
    stream: 'MESSAGING',
    consumes: [messagingCallbacksConsumer, messagingContactsConsumer],
  },
  contacts: {
    serves: [resolveContactsRpc, ...contactRequests],
    calls: [getChannelRpc, applySuppressionsRpc],
    stream: 'CONTACTS',
    consumes: [contactsChannelsConsumer, contactsOptOutsConsumer],
  },
} as const satisfies Record<string, ServiceTopology>;

/** A service of the topology. */
export type ServiceName = keyof typeof topology;
