import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  conversationClosed,
  conversationOpened,
  messageDelivered,
  messageFailed,
  messageRead,
  messageReceived,
  messageSent,
} from '@switchboard/contracts/messaging/events';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { AppClient } from '@switchboard/testing/app-client';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import type { RecordedAttempt, WebhookArrival, WebhookLedger } from '../audit/webhook-rules.policy.js';
import type { Stage } from '../stage/stage.js';

/** What of messaging's events webhooks carry. */
const CARRIED = [
  messageReceived,
  messageSent,
  messageDelivered,
  messageRead,
  messageFailed,
  conversationOpened,
  conversationClosed,
].map(({ subject }) => subject);

interface Registered {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly secret: string;
}

interface Body {
  readonly data: {
    readonly id: string;
    readonly sequence?: number;
    readonly message?: { readonly conversationId: string };
    readonly conversation?: { readonly id: string };
  };
}

/** A receiver that answers 200 at once and remembers what it took; one webhook of each organization leads to it. */
export class WebhookRecorder {
  private readonly taken: WebhookArrival[] = [];
  private registered: readonly Registered[] = [];

  private constructor(
    private readonly stage: Stage,
    private readonly server: Server,
  ) {}

  /** Starts it on any port of the loopback, and registers it with every organization for every event. */
  static async start(stage: Stage): Promise<WebhookRecorder> {
    const server = createServer();
    const recorder = new WebhookRecorder(stage, server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        recorder.take(request.url ?? '', Buffer.concat(chunks), request.headers['x-service-signature']);
        response.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await recorder.register();
    return recorder;
  }

  /** How many arrivals there are. */
  get size(): number {
    return this.taken.length;
  }

  /** Deliveries that are not over, of all webhooks. */
  async pending(): Promise<number> {
    const sql = 'SELECT count(*)::integer AS count FROM webhooks.delivery';
    const [row] = await this.stage.database.query<{ count: number }>(sql);
    return row?.count ?? 0;
  }

  /** What is known since a position of messaging's outbox and an arrival. */
  async ledgerSince(position: number, arrival: number): Promise<WebhookLedger> {
    const { database } = this.stage;
    const organizations = this.registered.map(({ organizationId }) => organizationId);
    const committed = await database.query<{ id: string }>(
      `SELECT id FROM messaging.outbox WHERE position > $1 AND subject = ANY ($2) AND payload::jsonb ->> 'organizationId' = ANY ($3)`,
      [position, CARRIED, organizations],
    );
    const ids = committed.map(({ id }) => id);
    const bodies = await database.query<{ id: string; body: string }>(
      'SELECT id, body FROM webhooks.event WHERE id = ANY ($1)',
      [ids],
    );
    const attempts = await database.query<RecordedAttempt & Record<string, unknown>>(
      `SELECT event_id AS "eventId", number, outcome, error FROM webhooks.attempt
       WHERE webhook_id = ANY ($2) AND event_id = ANY ($1) ORDER BY number`,
      [ids, this.registered.map(({ webhookId }) => webhookId)],
    );
    const stored = new Map(bodies.map(({ id, body }) => [id, body]));
    return { committed, bodies: stored, attempts, arrivals: this.taken.slice(arrival) };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async register(): Promise<void> {
    const { baseUrl = '', organizations = [] } = this.stage.stack.devJson;
    const { port } = this.server.address() as AddressInfo;
    const registered: Registered[] = [];
    for (const { id: organizationId, users = [] } of organizations) {
      const owner = users.find(({ role }) => role === 'OWNER');
      if (!owner) throw new Error(`${organizationId} has no owner who can sign in`);
      const client = new AppClient(baseUrl);
      await client.signIn(owner);
      const url = `http://127.0.0.1:${port}/${organizationId}`;
      const { status, body } = await client.post('/app/api/webhooks', { url, events: subscribableEvents });
      if (status !== 201) throw new Error(`registering a webhook: ${status} ${JSON.stringify(body)}`);
      registered.push({ organizationId, webhookId: String(body?.id), secret: String(body?.['secret']) });
    }
    this.registered = registered;
  }

  private take(path: string, body: Buffer, signature: string | string[] | undefined): void {
    const secret = this.registered.find(({ organizationId }) => path === `/${organizationId}`)?.secret;
    const { data } = JSON.parse(body.toString('utf8')) as Body;
    this.taken.push({
      dataId: data.id,
      conversationId: data.message?.conversationId ?? data.conversation?.id ?? null,
      sequence: data.sequence ?? null,
      body: body.toString('utf8'),
      isSigned: secret !== undefined && verifyServiceSignature(body, String(signature), secret),
    });
  }
}
