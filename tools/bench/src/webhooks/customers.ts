import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { messageReceived } from '@switchboard/contracts/messaging/events';
import { createWebhookRpc, deleteWebhookRpc, replayWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import {
  administratorOf,
  connectNats,
  EventPublisher,
  RpcClient,
  RpcUnanswered,
  type NatsConnection,
} from '@switchboard/nats';

/** Length of the text that makes a body about 1 KB. */
const TEXT = 'x'.repeat(400);
/** Publications under way at once. */
const SLICE = 500;
const TRIES_MAX = 5;

/** A webhook of an organization. */
export interface RegisteredWebhook {
  readonly id: string;
  readonly organizationId: string;
  readonly secret: string;
}

/** Organizations with webhooks, whose events are published as messaging's outbox would. */
export class Customers {
  private constructor(
    private readonly connections: readonly NatsConnection[],
    private readonly rpc: RpcClient,
    private readonly publisher: EventPublisher,
  ) {}

  /** @param natsUrl with the administrator's credentials */
  static async connect(natsUrl: string): Promise<Customers> {
    const url = new URL(natsUrl);
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    url.username = '';
    url.password = '';
    const access = { url: url.href.replace(/\/$/, ''), user, password, onStatus: () => undefined };
    const asGateway = await connectNats({ ...access, user: administratorOf('gateway') });
    const asOutbox = await connectNats(access);
    const publisher = new EventPublisher(asOutbox, 'messaging');
    return new Customers([asGateway, asOutbox], new RpcClient(asGateway), publisher);
  }

  /** Registers a webhook for the events of an organization. */
  async register(
    organizationId: string,
    url: string,
    event: 'message.received' | 'message.sent' = 'message.received',
  ): Promise<RegisteredWebhook> {
    const request = { id: newCuid(), url, events: [event], description: null };
    for (let tries = 1; ; tries++) {
      try {
        const { secret } = await this.rpc.call(createWebhookRpc, memberOf(organizationId), request);
        return { id: request.id, organizationId, secret };
      } catch (error) {
        // A busy machine: by its id it is made once.
        if (!(error instanceof RpcUnanswered) || tries === TRIES_MAX) throw error;
      }
    }
  }

  /** Deletes a webhook, and what is still to be sent to it. */
  async remove({ id, organizationId }: RegisteredWebhook): Promise<void> {
    await this.rpc.call(deleteWebhookRpc, memberOf(organizationId), { id });
  }

  /** Sends a webhook again what has occurred since a time. @returns how many events that are */
  async replay({ id: webhookId, organizationId }: RegisteredWebhook, since: Date): Promise<number> {
    const which = { since: since.toISOString(), until: null, events: null, onlyMissed: false };
    const request = { webhookId, replayId: newCuid(), ...which, dryRun: false };
    return (await this.rpc.call(replayWebhookRpc, memberOf(organizationId), request)).count;
  }

  /** Publishes one event of an organization, of a conversation of its own. @returns its id, once the broker has it */
  async publish(organizationId: string): Promise<string> {
    const id = newCuid();
    const { subject } = messageReceived;
    const payload = JSON.stringify(envelopeOf(id, organizationId));
    await this.publisher.publish({ id, subject, payload, traceparent: null });
    return id;
  }

  /** Publishes many as fast as the broker takes them. @returns their ids */
  async publishMany(organizationId: string, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const size = Math.min(SLICE, count - ids.length);
      ids.push(...(await Promise.all(Array.from({ length: size }, () => this.publish(organizationId)))));
    }
    return ids;
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

function memberOf(organizationId: string): Principal {
  return { organizationId, actor: { type: 'user', userId: newCuid() }, scopes: null };
}

/** The body of such an event, for who sends it without us. */
export function exampleBody(): string {
  const organizationId = newCuid();
  const { id, occurredAt: timestamp, data } = envelopeOf(newCuid(), organizationId);
  return JSON.stringify({ event: 'message.received', timestamp, organizationId, data: { id, sequence: 1, ...data } });
}

function envelopeOf(id: string, organizationId: string) {
  const at = new Date().toISOString();
  const conversationId = newCuid();
  const message = {
    id: newCuid(),
    conversationId,
    contactId: newCuid(),
    // One channel an organization; its own id is as good as any.
    messagingChannelId: organizationId,
    direction: 'INBOUND',
    type: 'TEXT',
    unsupportedType: null,
    text: TEXT,
    template: null,
    clientReference: null,
    metadata: {},
    jobId: null,
    status: 'RECEIVED',
    upstreamMessageId: null,
    error: null,
    createdAt: at,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
  };
  const { subject } = messageReceived;
  return { id, subject, organizationId, aggregateId: conversationId, sequence: 1, occurredAt: at, data: { message } };
}
