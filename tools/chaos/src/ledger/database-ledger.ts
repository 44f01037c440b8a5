import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { messageAccepted } from '@switchboard/contracts/messaging/events';
import { serviceNames, topology, type ServiceTopology } from '@switchboard/contracts/topology';
import pg from 'pg';
import type { Ledgers, RecordedEvent, StoredMessage } from './ledgers.js';

/** A moment of the database, at rest: what came later belongs to the next audit. */
export interface DatabaseMark {
  /** By the database's clock; the epoch for the very beginning. */
  readonly at: Date;
  /** By service, the last position of its outbox. */
  readonly positions: ReadonlyMap<string, number>;
}

/** What the database still has to do. */
export interface OpenWork {
  readonly unpublished: number;
  /** Attempts in state RETRY. */
  readonly retries: number;
  readonly dispatching: number;
}

type OutboxRow = RecordedEvent & { readonly isPublished: boolean };

/** Services that may emit events, and so have an outbox. */
const EMITTERS = Object.entries<ServiceTopology>(topology)
  .filter(([, { stream }]) => stream !== null)
  .map(([service]) => service);

/** The database of every service, read as its superuser: what is committed, whatever the services say. */
export class DatabaseLedger {
  private readonly pool: pg.Pool;

  constructor(databaseUrl: string) {
    const options = '-c statement_timeout=60000 -c timezone=UTC';
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 4, connectionTimeoutMillis: 5_000, options });
    // The servers are killed under it: the next query says so.
    this.pool.on('error', () => undefined);
  }

  /** For what a fault must look at or break. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, [...values])).rows;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** This moment. Nothing may be on its way: a transaction that commits later would fall before it. */
  async mark(): Promise<DatabaseMark> {
    const [now] = await this.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    const positions = new Map<string, number>();
    for (const service of EMITTERS) {
      const [row] = await this.query<{ last: string }>(
        `SELECT coalesce(max(position), 0) AS last FROM ${service}.outbox`,
      );
      positions.set(service, Number(row?.last ?? 0));
    }
    return { at: now?.at ?? new Date(0), positions };
  }

  async openWork(): Promise<OpenWork> {
    const unpublished = EMITTERS.map((service) => `(SELECT count(*) FROM ${service}.outbox_pending)`);
    const [row] = await this.query<Record<keyof OpenWork, string>>(
      `SELECT ${unpublished.join(' + ')} AS unpublished,
         (SELECT count(*) FROM messaging.dispatch WHERE state = 'RETRY') AS retries,
         (SELECT count(*) FROM messaging.dispatch WHERE state = 'DISPATCHING') AS dispatching`,
    );
    const { unpublished: waiting, retries, dispatching } = row ?? { unpublished: 0, retries: 0, dispatching: 0 };
    return { unpublished: Number(waiting), retries: Number(retries), dispatching: Number(dispatching) };
  }

  /**
   * Messages of the time since the mark: inbound ones by the time of their id; outbound ones that were attempted since by
   * the database's clock, and those that the upstream was asked for since.
   *
   * @param asked references of the upstream's requests since the mark
   */
  async messagesSince({ at, positions }: DatabaseMark, asked: readonly string[]): Promise<StoredMessage[]> {
    return this.query<StoredMessage>(
      `SELECT m.id, m.organization_id AS "organizationId", m.conversation_id AS "conversationId",
         m.contact_id AS "contactId", m.direction, m.text, m.status, m.upstream_message_id AS "upstreamMessageId",
         m.error_code AS "errorCode", m.sent_at IS NOT NULL AS "isSent", d.state AS dispatch,
         before.id IS NOT NULL AS "isCarriedOver"
       FROM messaging.message m
       LEFT JOIN messaging.dispatch d ON d.organization_id = m.organization_id AND d.message_id = m.id
       LEFT JOIN (
         SELECT DISTINCT payload::json #>> '{data,message,id}' AS id FROM messaging.outbox
         WHERE position <= $3 AND subject = $4) AS before ON before.id = m.id
       WHERE (m.direction = 'INBOUND' AND m.id >= $2)
         OR (m.direction = 'OUTBOUND' AND (m.attempted_at >= $1 OR m.id = ANY($5::text[])))`,
      [at, cuidFloor(at), positions.get('messaging') ?? 0, messageAccepted.subject, asked],
    );
  }

  /** Events committed since the mark. */
  async outboxSince({ positions }: DatabaseMark): Promise<OutboxRow[]> {
    const rows: OutboxRow[] = [];
    for (const service of EMITTERS) {
      // One at a time: a push of all of them at once would overflow the stack.
      for (const row of await this.outboxOf(service, positions.get(service) ?? 0)) rows.push(row);
    }
    return rows;
  }

  /** Ids of events committed since the mark. */
  async eventIdsSince({ positions }: DatabaseMark): Promise<string[]> {
    const all = EMITTERS.map((service) => `SELECT id FROM ${service}.outbox WHERE position > ${positionOf(service)}`);
    function positionOf(service: string): number {
      return positions.get(service) ?? 0;
    }
    return (await this.query<{ id: string }>(all.join(' UNION ALL '))).map(({ id }) => id);
  }

  /** `consumer event` of events since the mark that concern a consumer and that it has not put into its inbox, nor given up. */
  async unappliedSince({ positions }: DatabaseMark): Promise<string[]> {
    const missing: string[] = [];
    for (const [service, { consumes }] of Object.entries<ServiceTopology>(topology)) {
      for (const { name, filter, concerns } of consumes) {
        const publisher = filter.split('.')[0] ?? '';
        const concerned = concerns?.map((path) => `payload::jsonb #>> '{${['data', ...path].join()}}' IS NOT NULL`);
        const rows = await this.query<{ id: string }>(
          `SELECT o.id FROM ${publisher}.outbox o WHERE o.position > $1 AND starts_with(o.subject, $2)
             AND NOT EXISTS (SELECT FROM ${service}.inbox i WHERE i.event_id = o.id AND i.consumer = $3)
             AND NOT EXISTS (SELECT FROM ${service}.dead_letter d WHERE d.event_id = o.id AND d.consumer = $3)
             AND (${concerned?.join(' OR ') ?? true})`,
          [positions.get(publisher) ?? 0, filter.replace(/>$/, ''), name],
        );
        missing.push(...rows.map(({ id }) => `${name} ${id}`));
      }
    }
    return missing;
  }

  async deadLettersSince({ at }: DatabaseMark): Promise<string[]> {
    const all = serviceNames.map((service) => `SELECT * FROM ${service}.dead_letter WHERE died_at >= $1`);
    const rows = await this.query<{ consumer: string; event_id: string; error: string }>(all.join(' UNION ALL '), [at]);
    return rows.map(({ consumer, event_id, error }) => `${consumer} ${event_id}: ${error}`);
  }

  /** The last number of each of these conversations. */
  async sequencesOf(conversationIds: readonly string[]): Promise<Ledgers['sequences']> {
    const rows = await this.query<{ id: string; last: string }>(
      'SELECT id, event_sequence AS last FROM messaging.conversation WHERE id = ANY($1::text[])',
      [conversationIds],
    );
    return new Map(rows.map(({ id, last }) => [id, Number(last)]));
  }

  private async outboxOf(service: string, position: number): Promise<OutboxRow[]> {
    const rows = await this.query<Omit<OutboxRow, 'sequence'> & { sequence: string | null }>(
      `SELECT id, subject, aggregate_id AS "aggregateId",
         NOT EXISTS (SELECT FROM ${service}.outbox_pending AS open WHERE open.position = outbox.position) AS "isPublished",
         payload::json ->> 'sequence' AS sequence, md5(payload) AS digest,
         coalesce(payload::json #>> '{data,message,id}', payload::json #>> '{data,item,biz_opaque_callback_data}')
           AS "messageId"
       FROM ${service}.outbox WHERE position > $1 ORDER BY position`,
      [position],
    );
    return rows.map((row) => ({ ...row, sequence: row.sequence === null ? null : Number(row.sequence) }));
  }
}
