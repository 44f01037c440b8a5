import { setTimeout as wait } from 'node:timers/promises';
import { optOutCreated } from '@switchboard/contracts/contacts/events';
import {
  conversationClosed,
  conversationOpened,
  messageDelivered,
  messageFailed,
  messageRead,
  messageReceived,
  messageSent,
} from '@switchboard/contracts/messaging/events';
import { templateStatusUpdated } from '@switchboard/contracts/templates/events';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { AppClient } from '@switchboard/testing/app-client';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import type { RecordedAttempt, WebhookArrival, WebhookLedger } from '../audit/webhook-rules.policy.js';
import type { Mark } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import { conversationOf, type EventBody } from './event-body.js';
import { WebhookReceiver, type TakenRequest } from './webhook-receiver.js';

/** What of the services' events webhooks carry. */
const CARRIED = [
  messageReceived,
  messageSent,
  messageDelivered,
  messageRead,
  messageFailed,
  conversationOpened,
  conversationClosed,
  optOutCreated,
  templateStatusUpdated,
];

const LOOK_EVERY_MS = 200;

/** Each organization has a webhook of either kind: `unsteady` refuses every fifth request, but no event twice. */
export const receiverKinds = ['steady', 'unsteady'] as const;
type ReceiverKind = (typeof receiverKinds)[number];

/** When the first request of a delivery began. */
export interface FirstAttempt {
  readonly organizationId: string;
  readonly beganAt: Date;
  readonly delayMs: number;
}

interface Registered {
  readonly kind: ReceiverKind;
  readonly organizationId: string;
  readonly webhookId: string;
  readonly secret: string;
  readonly client: AppClient;
}

/** Receivers that remember what they took; two webhooks of each organization lead to them. */
export class WebhookRecorder {
  private readonly taken: (WebhookArrival & { readonly kind: ReceiverKind })[] = [];
  private readonly replayed = new Set<string>();
  private registered: readonly Registered[] = [];
  private receiver: WebhookReceiver | null = null;

  private constructor(private readonly stage: Stage) {}

  /** Starts them, and registers them with every organization for every event. */
  static async start(stage: Stage): Promise<WebhookRecorder> {
    const recorder = new WebhookRecorder(stage);
    recorder.receiver = await WebhookReceiver.start((request) => recorder.note(request));
    await recorder.register(recorder.receiver.url);
    return recorder;
  }

  /** How many arrivals there are. */
  get size(): number {
    return this.taken.length;
  }

  /** Waits until all deliveries are over, for so long at most: what never ends is seen in what has not arrived. */
  async delivered(withinMs: number): Promise<void> {
    const deadlineMs = Date.now() + withinMs;
    while ((await this.pending()) > 0 && Date.now() < deadlineMs) await wait(LOOK_EVERY_MS);
  }

  /** Deliveries that are not over, of all webhooks, and replays that are not queued whole. */
  private async pending(): Promise<number> {
    const sql = `SELECT ((SELECT count(*) FROM webhooks.delivery)
      + (SELECT count(*) FROM webhooks.replay WHERE ended_at IS NULL))::integer AS count`;
    const [row] = await this.stage.database.query<{ count: number }>(sql);
    return row?.count ?? 0;
  }

  /** Events since then that are stored. */
  async storedSince(since: Date): Promise<readonly { readonly id: string; readonly organizationId: string }[]> {
    return this.stage.database.query(
      `SELECT id, organization_id AS "organizationId" FROM webhooks.event WHERE occurred_at >= $1`,
      [since],
    );
  }

  /**
   * Asks for a replay of what has occurred since then, to the unsteady receiver of each organization.
   *
   * @throws Error when one is refused, or has fewer events than were stored before
   */
  async replay(since: Date): Promise<void> {
    for (const { organizationId, webhookId, client } of this.registered.filter(({ kind }) => kind === 'unsteady')) {
      const stored = (await this.storedSince(since)).filter((event) => event.organizationId === organizationId);
      const path = `/app/api/webhooks/${webhookId}/replay`;
      const { status, body } = await client.post(path, { since: since.toISOString() });
      if (status !== 202 || Number(body?.['count']) < stored.length) {
        throw new Error(`a replay of ${stored.length} events: ${status} ${JSON.stringify(body)}`);
      }
      for (const { id } of stored) this.replayed.add(id);
    }
  }

  /** Ids of what was committed since a mark that webhooks carry. */
  async committedSince({ database: { positions } }: Mark): Promise<readonly string[]> {
    const organizations = this.registered.map(({ organizationId }) => organizationId);
    const owners = Map.groupBy(CARRIED, ({ owner }) => owner);
    const ids: string[] = [];
    for (const [owner, definitions] of owners) {
      const rows = await this.stage.database.query<{ id: string }>(
        `SELECT id FROM ${owner}.outbox
         WHERE position > $1 AND subject = ANY ($2) AND payload::jsonb ->> 'organizationId' = ANY ($3)`,
        [positions.get(owner) ?? 0, definitions.map(({ subject }) => subject), organizations],
      );
      for (const { id } of rows) ids.push(id);
    }
    return ids;
  }

  /** The stored bodies of events. */
  async bodiesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const bodies = await this.stage.database.query<{ id: string; body: string }>(
      'SELECT id, body FROM webhooks.event WHERE id = ANY ($1)',
      [ids],
    );
    return new Map(bodies.map(({ id, body }) => [id, body]));
  }

  /** What is known of the receivers of a kind since a mark and an arrival. */
  async ledgerSince(kind: ReceiverKind, ids: readonly string[], arrival: number): Promise<WebhookLedger> {
    await this.receiver?.flush();
    const webhooks = this.registered.filter((one) => one.kind === kind).map(({ webhookId }) => webhookId);
    const attempts = await this.stage.database.query<RecordedAttempt & Record<string, unknown>>(
      `SELECT event_id AS "eventId", kind, outcome, error FROM webhooks.attempt
       WHERE webhook_id = ANY ($2) AND event_id = ANY ($1) ORDER BY number`,
      [ids, webhooks],
    );
    return {
      committed: ids.map((id) => ({ id })),
      bodies: await this.bodiesOf(ids),
      attempts,
      arrivals: this.taken.slice(arrival).filter((one) => one.kind === kind),
      replayed: new Set(ids.filter((id) => kind === 'unsteady' && this.replayed.has(id))),
    };
  }

  /** First attempts at the steady receivers, of what occurred in a time, with the time from the event to the attempt. */
  async firstAttempts(from: Date, to: Date): Promise<readonly FirstAttempt[]> {
    const webhooks = this.registered.filter(({ kind }) => kind === 'steady').map(({ webhookId }) => webhookId);
    return this.stage.database.query<FirstAttempt & Record<string, unknown>>(
      `SELECT a.organization_id AS "organizationId", a.began_at AS "beganAt",
         extract(epoch FROM a.began_at - e.occurred_at)::float8 * 1000 AS "delayMs"
       FROM webhooks.attempt a JOIN webhooks.event e ON e.id = a.event_id
       WHERE a.webhook_id = ANY ($1) AND a.kind = 'AUTOMATIC' AND a.number = 1 AND e.occurred_at >= $2 AND e.occurred_at < $3`,
      [webhooks, from, to],
    );
  }

  async stop(): Promise<void> {
    await this.receiver?.stop();
  }

  private async register(receiverUrl: string): Promise<void> {
    const { baseUrl = '', organizations = [] } = this.stage.stack.devJson;
    const registered: Registered[] = [];
    for (const { id: organizationId, users = [] } of organizations) {
      const owner = users.find(({ role }) => role === 'OWNER');
      if (!owner) throw new Error(`${organizationId} has no owner who can sign in`);
      const client = await AppClient.signedIn(baseUrl, owner);
      for (const kind of receiverKinds) {
        const url = `${receiverUrl}/${kind}/${organizationId}`;
        const { status, body } = await client.post('/app/api/webhooks', { url, events: subscribableEvents });
        if (status !== 201) throw new Error(`registering a webhook: ${status} ${JSON.stringify(body)}`);
        const secret = String(body?.['secret']);
        registered.push({ kind, organizationId, webhookId: String(body?.id), secret, client });
      }
    }
    this.registered = registered;
  }

  private note({ path, body, signature, answered }: TakenRequest): void {
    const own = this.registered.find(({ kind, organizationId }) => path === `/${kind}/${organizationId}`);
    this.taken.push({
      ...conversationOf(JSON.parse(body) as EventBody),
      kind: own?.kind ?? 'steady',
      body,
      isSigned: own !== undefined && verifyServiceSignature(Buffer.from(body, 'utf8'), signature, own.secret),
      answered,
    });
  }
}
