import type { UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { patience, type DatabaseOverrides, type TestServers } from '@switchboard/testing';
import { takeStatuses } from '../src/callback/take-statuses.js';
import { Channel } from '../src/channel/channel.entity.js';
import { ContactRepository, type ProjectedContact } from '../src/contact/contact.repository.js';
import { ARRIVE_WITHIN_MS, LEASE_MS, type Attempt } from '../src/dispatch/dispatch.entity.js';
import { applySettlements, type Settlement } from '../src/dispatch/settle-dispatch.batch.js';
import { Message } from '../src/message/message.entity.js';
import { messagingMigrations } from '../src/migrations/all.js';
import { seedChannels } from '../src/seed.js';
import { acceptMessages, type AcceptRequest, type AcceptResult } from '../src/send-message/accept-message.batch.js';
import { reportsOf, type StatusCallback } from '../src/take-callbacks/status-reports.js';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';

/** Seals the tokens of the store's channels. */
export const storeKey = Buffer.alloc(32, 7);

/** An organization with a connected channel and contacts. */
export interface Sender {
  readonly organizationId: string;
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly contacts: readonly { readonly id: string; readonly phone: string }[];
}

/** A stored row of `dispatch`, as far as tests look. */
export interface DispatchRow {
  readonly state: string;
  readonly attempts: number;
  readonly lease: string;
}

/** Of a message and of the mark of its first attempt. */
const letMarkAgeSql = statement(
  'test.let-mark-age',
  `WITH moved AS (UPDATE message SET attempted_at = now() - make_interval(secs => $2::float8) WHERE id = $1)
   UPDATE dispatch SET due_at = now() + make_interval(secs => ${LEASE_MS / 1_000} - $2::float8) WHERE message_id = $1`,
);
let phones = 0;

/** Messaging's tables on a real server, and what is done to them, step by step. */
export class MessagingStore {
  private constructor(
    readonly database: Database,
    /** May do what the service's role must not: move times, look at locks. */
    readonly superuser: Database,
    readonly url: string,
    /** A pool of one connection, which plans its statements anew. */
    readonly openAnother: () => Promise<Database>,
  ) {}

  /**
   * @param poolMax connections of the service's role
   * @param limits where a test is about the times within which a service ends its waits
   */
  static async open(servers: TestServers, poolMax = 8, limits: DatabaseOverrides = patience): Promise<MessagingStore> {
    const prepared = await servers.serviceDatabase('messaging', messagingMigrations);
    const superuser = await prepared.superuser();
    const { role, name } = prepared;
    const set = (setting: string): Promise<unknown> =>
      superuser.dataSource.query(`ALTER ROLE ${role} IN DATABASE ${name} SET ${setting}`);
    // No test of this store ends the server: waiting for its disk at every COMMIT would prove nothing.
    await set('synchronous_commit = off');
    // A deadlock is to be found in the log with its statements.
    await set("log_min_messages = 'error'");
    await set("log_error_verbosity = 'default'");
    const database = await prepared.database({
      entities: [Channel, Message],
      poolMax,
      ...limits,
    });
    return new MessagingStore(database, superuser, prepared.url, () => prepared.database({ poolMax: 1 }));
  }

  /** Connects the channel of a new organization, which knows so many contacts. */
  async sender(contacts = 1): Promise<Sender> {
    const organizationId = newCuid();
    const sender: Sender = {
      organizationId,
      channelId: newCuid(),
      phoneNumberId: `line-${organizationId}`,
      contacts: Array.from({ length: contacts }, () => ({ id: newCuid(), phone: `+1415${5_550_000 + ++phones}` })),
    };
    await this.connect(sender);
    await new ContactRepository(this.database).project(
      sender.contacts.map(({ id, phone }) => contactOf(organizationId, id, phone)),
    );
    return sender;
  }

  /** Connects the sender's channel, again with another token. */
  async connect(sender: Sender, accessToken = 'token', isDefault = true): Promise<void> {
    const { organizationId, channelId: id, phoneNumberId } = sender;
    const line = { name: 'support', phone: '+12015550181', businessAccountId: '1', defaultRegion: 'US' };
    const channel = { organizationId, id, phoneNumberId, accessToken, isDefault, ...line };
    await seedChannels((sql, values) => this.superuser.dataSource.query(sql, [...values]), [channel], storeKey);
  }

  /** A request to send to the sender's contact, the first by default. */
  request(sender: Sender, contact = 0): AcceptRequest {
    const { organizationId, channelId, contacts } = sender;
    const phone = contacts[contact]?.phone ?? null;
    const fresh = { messageId: newCuid(), lease: newCuid() };
    const parts = { text: 'hello', clientReference: null, metadata: null };
    return { organizationId, channelId, phone, ...parts, messagesPerMonth: null, ...fresh };
  }

  /** @param beforeCommit holds the transaction open */
  async accept(
    requests: readonly AcceptRequest[],
    beforeCommit: () => Promise<void> = async () => undefined,
  ): Promise<AcceptResult[]> {
    const items = requests.map((request) => ({ ...request, traceparent: null }));
    const outcomes = await this.database.transaction(async (tx) => {
      const accepted = await acceptMessages(tx, items);
      await beforeCommit();
      return accepted;
    });
    return outcomes.map((outcome) => {
      if ('error' in outcome) throw outcome.error;
      return outcome.ok;
    });
  }

  /** An accepted message's first attempt. */
  async attempt(sender: Sender, contact = 0): Promise<Attempt> {
    const [result] = await this.accept([this.request(sender, contact)]);
    if (result?.verdict !== 'accepted') throw new Error(`not accepted but ${result?.verdict}`);
    return result.attempt;
  }

  /** Records what came of attempts. */
  async settle(...settlements: readonly Settlement[]): Promise<void> {
    await this.database.transaction((tx) => applySettlements(tx, settlements));
  }

  /** Applies status callbacks. @returns ids of those whose message is not known */
  async callbacks(...callbacks: readonly StatusCallback[]): Promise<Set<string>> {
    const unknown = await this.database.transaction((tx) => takeStatuses(tx, callbacks.flatMap(reportsOf)));
    return new Set(unknown.map(({ eventId }) => eventId));
  }

  /** Forgets every attempt, made or to be made. */
  async forgetDispatches(): Promise<void> {
    await this.superuser.dataSource.query('DELETE FROM messaging.dispatch');
  }

  async dispatches(attempt: Pick<Attempt, 'messageId'>): Promise<DispatchRow[]> {
    const sql = 'SELECT state, attempts, lease FROM messaging.dispatch WHERE message_id = $1';
    return this.superuser.dataSource.query(sql, [attempt.messageId]);
  }

  /** The row as stored, times and all. */
  async message({ organizationId, messageId: id }: Pick<Attempt, 'organizationId' | 'messageId'>): Promise<Message> {
    return this.database.dataSource.getRepository(Message).findOneByOrFail({ organizationId, id });
  }

  /** The events of an organization, in the order of the outbox. */
  async events(organizationId: string): Promise<EventEnvelope[]> {
    const sql = "SELECT payload FROM messaging.outbox WHERE payload::jsonb->>'organizationId' = $1 ORDER BY position";
    const rows: { payload: string }[] = await this.superuser.dataSource.query(sql, [organizationId]);
    return rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope);
  }

  /** The events of a conversation and its messages, in the order of the outbox. */
  async eventsOfConversation(conversationId: string): Promise<EventEnvelope[]> {
    const sql = 'SELECT payload FROM messaging.outbox WHERE aggregate_id = $1 ORDER BY position';
    const rows: { payload: string }[] = await this.superuser.dataSource.query(sql, [conversationId]);
    return rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope);
  }

  /** Counters that are not what the messages add up to, this month and its neighbours. */
  async quotaFaults(): Promise<unknown[]> {
    return this.superuser.dataSource.query(`
      SELECT o.organization_id, m.month, coalesce(q.used, 0) AS used, messaging.quota_counted(o.organization_id, m.month) AS counted
      FROM (SELECT DISTINCT organization_id FROM messaging.channel) AS o
      CROSS JOIN (SELECT to_char((now() AT TIME ZONE 'UTC') + make_interval(months => n), 'YYYY-MM') AS month
        FROM generate_series(-1, 1) AS n) AS m
      LEFT JOIN messaging.quota q ON q.organization_id = o.organization_id AND q.month = m.month
      WHERE coalesce(q.used, 0) <> messaging.quota_counted(o.organization_id, m.month)`);
  }

  /** What an organization has used of a month, as counted. */
  async used(organizationId: string, month: string): Promise<number> {
    const sql = 'SELECT used::int FROM messaging.quota WHERE organization_id = $1 AND month = $2';
    const [row]: { used: number }[] = await this.superuser.dataSource.query(sql, [organizationId, month]);
    return row?.used ?? 0;
  }

  /** Has every mark of a first attempt last an hour longer from now on: while a test runs, its end alone ends a wait for it. */
  async lengthenMarks(): Promise<void> {
    await this.superuser.dataSource.query(`
      CREATE FUNCTION messaging.lengthen_mark() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.due_at := NEW.due_at + interval '1 hour'; RETURN NEW; END $$;
      CREATE TRIGGER lengthen_mark BEFORE INSERT ON messaging.dispatch FOR EACH ROW WHEN (NEW.state = 'DISPATCHING')
        EXECUTE FUNCTION messaging.lengthen_mark()`);
  }

  /** As if such a mark had been made just as long ago as its attempt may take to arrive. */
  async endLengthenedMark({ messageId }: Pick<Attempt, 'messageId'>): Promise<void> {
    const passed = `interval '1 hour ${ARRIVE_WITHIN_MS} ms'`;
    const sql = `UPDATE messaging.dispatch SET due_at = due_at - ${passed} WHERE message_id = $1`;
    await this.superuser.dataSource.query(sql, [messageId]);
  }

  /** As if the message's first attempt had been marked so long before the transaction, whose clock stands still. */
  async letMarkAge(tx: Transaction, { messageId }: Pick<Attempt, 'messageId'>, ageMs: number): Promise<void> {
    await tx.query(letMarkAgeSql, [messageId, ageMs / 1_000]);
  }

  /** Makes due now what waits for its time: leases, retries, deadlines. */
  async letTimePass(attempt: Pick<Attempt, 'messageId'>): Promise<void> {
    const sql = "UPDATE messaging.dispatch SET due_at = now() - interval '1 ms' WHERE message_id = $1";
    await this.superuser.dataSource.query(sql, [attempt.messageId]);
  }
}

/** What came of an attempt, known now. */
export function settlementOf(attempt: Attempt, outcome: UpstreamOutcome, knownAt = new Date()): Settlement {
  return { attempt, outcome, knownAt, traceparent: null };
}

/** The upstream took the message. */
export function taken({ messageId }: Pick<Attempt, 'messageId'>): UpstreamOutcome {
  return { state: 'accepted', upstreamMessageId: `wamid.${messageId}`, messagingId: null };
}

/** A status callback with our reference, as the provider sends it; `item` overrides its fields. */
export function callbackOf(
  sender: Sender,
  { messageId }: Pick<Attempt, 'messageId'>,
  item: Partial<UpstreamStatusItem> & Pick<UpstreamStatusItem, 'status'>,
): StatusCallback {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const status = { id: `wamid.${messageId}`, timestamp, biz_opaque_callback_data: messageId, ...item };
  const channel = channelOf(sender);
  const callback = { phoneNumberId: sender.phoneNumberId, item: status };
  const at = new Date(Number(status.timestamp) * 1_000);
  return { eventId: newCuid(), at, traceparent: null, channel, callback };
}

/** The sender's channel as callbacks find it. */
export function channelOf({ organizationId, channelId: id, phoneNumberId }: Sender): Channel {
  const line = {
    name: 'support',
    phone: '+12015550181',
    provider: 'cloud',
    businessAccountId: '1',
    defaultRegion: 'US',
  };
  const connected = { isDefault: true, status: 'CONNECTED' as const, optOutKeywords: [] };
  return { organizationId, id, phoneNumberId, ...connected, ...line };
}

/** The message that an event is about. */
export function messageOf(event: EventEnvelope): MessageView | undefined {
  return (event.data as { message?: MessageView }).message;
}

/** A contact as the contacts service reports it. */
export function contactOf(organizationId: string, id: string, phone: string): ProjectedContact {
  const messagingId = phone.slice(1);
  return {
    organizationId,
    contact: { id, phone, phoneForms: [phone], name: null, messagingId, version: 1, optOuts: [] },
  };
}
