import { resolveContactsRpc } from './contacts/rpc.js';
import type { RpcDefinition } from './grammar/define-rpc.js';
import { getMessageRpc, listConversationsRpc, sendMessageRpc } from './messaging/rpc.js';

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

/** The services and their ways to each other. */
export const topology = {
  gateway: {
    serves: [],
    calls: [sendMessageRpc, getMessageRpc, listConversationsRpc],
    stream: 'GATEWAY',
    consumes: [],
  },
  messaging: {
    serves: [sendMessageRpc, getMessageRpc, listConversationsRpc],
    calls: [resolveContactsRpc],
    stream: 'MESSAGING',
    consumes: [messagingCallbacksConsumer, messagingContactsConsumer],
  },
  contacts: { serves: [resolveContactsRpc], calls: [], stream: 'CONTACTS', consumes: [] },
} as const satisfies Record<string, ServiceTopology>;

/** A service of the topology. */
export type ServiceName = keyof typeof topology;
