import { Inject, Injectable } from '@nestjs/common';
import { appendEvents, Relay } from '@switchboard/outbox';
import { CachedGauge, LOG, PollingWorker, type Log } from '@switchboard/platform';
import { Database, statement } from '@switchboard/postgres';
import { erasedEvent, type AnnouncedErasure } from './erased-event.js';

const ROUND_MAX = 100;
const IDLE_MS = 10 * 60_000;

/** A confirmation that is under way goes first: its row is left to the next round. */
const lateSql = statement<AnnouncedErasure>(
  'contacts.erased-number.late',
  `WITH late AS (
     SELECT n.organization_id, n.contact_id, e.erased_at FROM erased_number n
     JOIN erasure e ON e.organization_id = n.organization_id AND e.contact_id = n.contact_id
     WHERE n.announced_at < now() - interval '1 day' AND n.waits_for <> '{}'
     ORDER BY n.announced_at LIMIT ${ROUND_MAX} FOR NO KEY UPDATE OF n SKIP LOCKED)
   UPDATE erased_number n SET announced_at = now() FROM late
   WHERE n.organization_id = late.organization_id AND n.contact_id = late.contact_id
   RETURNING n.organization_id AS "organizationId", n.contact_id AS "contactId", late.erased_at AS "erasedAt",
     n.sequence::float8 AS sequence`,
);
const oldestSql = statement<{ seconds: number }>(
  'contacts.erased-number.oldest',
  `SELECT coalesce(extract(epoch FROM now() - min(e.erased_at)), 0)::float8 AS seconds FROM erased_number n
   JOIN erasure e ON e.organization_id = n.organization_id AND e.contact_id = n.contact_id`,
);

/**
 * Announces each day again what some service has not confirmed: one that was stopped for longer than the stream keeps its events would
 * never hear of the erasure, and the numbers would stay for ever. Services that are done confirm again.
 */
@Injectable()
export class RepeatErasuresWorker extends PollingWorker {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'contact.erasure-repeat-failed' });
  }

  override onApplicationBootstrap(): void {
    const read = async (): Promise<number> => (await this.database.query(oldestSql, []))[0]?.seconds ?? 0;
    new CachedGauge({ name: 'unconfirmed erasures', read, log: this.log }).observeAs(
      'switchboard_erasures_unconfirmed_seconds',
      'Age of the oldest erasure that some service has not confirmed; 0 when there is none',
      (value) => [{ value }],
    );
    super.onApplicationBootstrap();
  }

  /** One round, in a transaction. @returns whether there may be more */
  async round(): Promise<boolean> {
    const late = await this.database.transaction(async (tx) => {
      const rows = await tx.query(lateSql, []);
      appendEvents(
        tx,
        rows.map((late) => ({ ...erasedEvent(late), traceparent: null })),
      );
      return rows;
    });
    if (late.length > 0) this.relay.wake();
    for (const { organizationId, contactId } of late) {
      this.log.warn('contact.erasure-announced-again', { organizationId, contactId });
    }
    return late.length === ROUND_MAX;
  }
}
