import type { EventEnvelope } from './grammar/define-event.js';

/** A durable consumer that a service owns on another service's stream. */
export interface ConsumerTopology {
  readonly name: string;
  readonly stream: string;
  /** One subject filter: all that a server of version 2.9 knows, and all that is needed. */
  readonly filter: string;
  /** Unacknowledged messages at most, over all replicas. */
  readonly ackPendingMax: number;
  /**
   * After so long without a sign of life the broker delivers again what a replica has taken; a replica that lives gives three in this
   * time. 30 s by default.
   */
  readonly ackWaitMs?: number;
  /**
   * Paths in the data of an event. One that has something at none of them changes nothing here: it is acknowledged without a
   * transaction, and has no row in the inbox. By default every event has an effect.
   */
  readonly concerns?: readonly (readonly string[])[];
}

/** Whether an event may change something at the consumer. */
export function isConcerned({ concerns }: ConsumerTopology, { data }: Pick<EventEnvelope, 'data'>): boolean {
  return concerns === undefined || concerns.some((path) => (valueAt(data, path) ?? null) !== null);
}

/** What is at a path in data of any shape; undefined where nothing is. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  let found = data;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

/** What people have said, opt-outs among it, waits no longer for a replica that was killed with it. */
const SAID_ACK_WAIT_MS = 10_000;

/**
 * Takes callbacks of the upstream into messages, a consumer for each kind: what people write, and what they opt out of, waits for no
 * status.
 */
function callbacksConsumer(name: string, kind: string): ConsumerTopology {
  return {
    name: `messaging-${name}`,
    stream: 'GATEWAY',
    filter: `gateway.callback.${kind}.>`,
    ackPendingMax: 2_000,
    ackWaitMs: SAID_ACK_WAIT_MS,
  };
}

/** Statuses of messages. */
export const messagingCallbacksConsumer = callbacksConsumer('callbacks', 'status');
/** Messages of contacts. */
export const messagingInboundConsumer = callbacksConsumer('inbound', 'message');
/** Preferences that contacts state in the upstream's own settings. */
export const messagingPreferencesConsumer = callbacksConsumer('preferences', 'preference');
/** Other changes. */
export const messagingChangesConsumer = callbacksConsumer('changes', 'change');

/** Keeps messaging's projection of contacts. */
export const messagingContactsConsumer: ConsumerTopology = {
  name: 'messaging-contacts',
  stream: 'CONTACTS',
  filter: 'contacts.contact.>',
  ackPendingMax: 2_000,
};

/** Confirms what jobs have reserved of quotas, and closes the lanes of finished ones. */
export const messagingJobsConsumer: ConsumerTopology = {
  name: 'messaging-jobs',
  stream: 'TEMPLATES',
  filter: 'templates.job.>',
  ackPendingMax: 500,
};

/** Keeps the contacts service's projection of channels. */
export const contactsChannelsConsumer: ConsumerTopology = {
  name: 'contacts-channels',
  stream: 'MESSAGING',
  filter: 'messaging.channel.>',
  ackPendingMax: 500,
};

/** Records opt-outs that the upstream reports in answer to a send. */
export const contactsOptOutsConsumer: ConsumerTopology = {
  name: 'contacts-opt-outs',
  stream: 'MESSAGING',
  filter: 'messaging.opt-out.>',
  ackPendingMax: 500,
  ackWaitMs: SAID_ACK_WAIT_MS,
};

/** Keeps the templates service's projection of channels. */
export const templatesChannelsConsumer: ConsumerTopology = {
  name: 'templates-channels',
  stream: 'MESSAGING',
  filter: 'messaging.channel.>',
  ackPendingMax: 500,
};

/** Takes callbacks of the upstream about the status of templates; changes of other kinds are skipped. */
export const templatesCallbacksConsumer: ConsumerTopology = {
  name: 'templates-callbacks',
  stream: 'GATEWAY',
  filter: 'gateway.callback.change.>',
  ackPendingMax: 500,
};

/** Takes what refused sends say of their templates. */
export const templatesRefusalsConsumer: ConsumerTopology = {
  name: 'templates-refusals',
  stream: 'MESSAGING',
  filter: 'messaging.template.>',
  ackPendingMax: 500,
};

/** Settles the recipients of jobs by what became of their messages. */
export const templatesOutcomesConsumer: ConsumerTopology = {
  name: 'templates-outcomes',
  stream: 'MESSAGING',
  filter: 'messaging.message.>',
  ackPendingMax: 4_000,
  // Most messages are of no job.
  concerns: [['message', 'jobId'], ['jobId']],
};

/** Settles the recipients of jobs that get no message. */
export const templatesSkippedConsumer: ConsumerTopology = {
  name: 'templates-skipped',
  stream: 'MESSAGING',
  filter: 'messaging.bulk-item.>',
  ackPendingMax: 2_000,
};

/** Holds and releases jobs with the subscriptions and plans of their organizations. */
export const templatesOrganizationsConsumer: ConsumerTopology = {
  name: 'templates-organizations',
  stream: 'GATEWAY',
  filter: 'gateway.organization.>',
  ackPendingMax: 500,
};

/** Holds and releases jobs with their lanes. */
export const templatesLanesConsumer: ConsumerTopology = {
  name: 'templates-lanes',
  stream: 'MESSAGING',
  filter: 'messaging.bulk-lane.>',
  ackPendingMax: 500,
};

/** Counts messages. */
export const analyticsMessagesConsumer: ConsumerTopology = {
  name: 'analytics-messages',
  stream: 'MESSAGING',
  filter: 'messaging.message.>',
  ackPendingMax: 8_000,
};

/** Counts opt-outs with the templates that came before them. */
export const analyticsOptOutsConsumer: ConsumerTopology = {
  name: 'analytics-opt-outs',
  stream: 'CONTACTS',
  filter: 'contacts.opt-out.>',
  ackPendingMax: 1_000,
};

/** Counts requests to the API. */
export const analyticsRequestsConsumer: ConsumerTopology = {
  name: 'analytics-requests',
  stream: 'GATEWAY',
  filter: 'gateway.requests.>',
  ackPendingMax: 1_000,
};

/** Makes deliveries of messages and conversations: one consumer, so that a conversation's events stay in their order. */
export const webhooksMessagingConsumer: ConsumerTopology = {
  name: 'webhooks-messaging',
  stream: 'MESSAGING',
  filter: 'messaging.>',
  ackPendingMax: 2_000,
  // What a reader that was killed had taken holds up its conversations. A replica that stands still loses the lead after as long.
  ackWaitMs: 10_000,
};

/** Makes deliveries of opt-outs. */
export const webhooksOptOutsConsumer: ConsumerTopology = {
  name: 'webhooks-opt-outs',
  stream: 'CONTACTS',
  filter: 'contacts.opt-out.>',
  ackPendingMax: 500,
};

/** Makes deliveries of changes of templates. */
export const webhooksTemplatesConsumer: ConsumerTopology = {
  name: 'webhooks-templates',
  stream: 'TEMPLATES',
  filter: 'templates.template.>',
  ackPendingMax: 500,
};

/** Writes acts on webhooks into the audit log. */
export const gatewayWebhookActsConsumer: ConsumerTopology = {
  name: 'gateway-webhook-acts',
  stream: 'WEBHOOKS',
  filter: 'webhooks.webhook.>',
  ackPendingMax: 500,
};

/** Writes acts on contacts into the audit log. */
export const gatewayContactActsConsumer: ConsumerTopology = {
  name: 'gateway-contact-acts',
  stream: 'CONTACTS',
  filter: 'contacts.contact.acted.>',
  ackPendingMax: 500,
};

/** Writes acts on channels into the audit log. */
export const gatewayChannelActsConsumer: ConsumerTopology = {
  name: 'gateway-channel-acts',
  stream: 'MESSAGING',
  filter: 'messaging.channel.acted.>',
  ackPendingMax: 500,
};

/** Overwrites what a service keeps of contacts that are erased. */
function erasuresConsumer(service: string): ConsumerTopology {
  return { name: `${service}-erasures`, stream: 'CONTACTS', filter: 'contacts.contact.erased.>', ackPendingMax: 500 };
}

/** Overwrites what the gateway keeps of callbacks about contacts that are erased. */
export const gatewayErasuresConsumer = erasuresConsumer('gateway');
/** Overwrites messages of contacts that are erased. */
export const messagingErasuresConsumer = erasuresConsumer('messaging');
/** Overwrites recipients of contacts that are erased. */
export const templatesErasuresConsumer = erasuresConsumer('templates');
/** Overwrites events of contacts that are erased. */
export const webhooksErasuresConsumer = erasuresConsumer('webhooks');
/** Overwrites dead letters of contacts that are erased: figures hold nothing else of them. */
export const analyticsErasuresConsumer = erasuresConsumer('analytics');
