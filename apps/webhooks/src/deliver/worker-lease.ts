import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';

/** A worker that does not renew it for so long owns nothing any more. */
const LEASE_S = 6;
/** Renews the own lease, forgets workers that have gone, those among them that are known not to have renewed theirs, and names those that live. */
const renewSql = statement<LivingWorker & { nowMs: number }>(
  'webhooks.worker.renew',
  `WITH gone AS (
     DELETE FROM worker w WHERE w.id <> $1 AND (w.lease_until < now() - interval '1 hour' OR EXISTS (
       SELECT FROM unnest($3::text[], $4::timestamptz[]) AS lapsed (id, lease_until)
       WHERE lapsed.id = w.id AND lapsed.lease_until = w.lease_until))
     RETURNING w.id),
   own AS (
     INSERT INTO worker (id, lease_until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until RETURNING id, lease_until)
   SELECT id, lease_until::text AS "leaseUntil", (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
   FROM (
     SELECT id, lease_until FROM own
     UNION ALL
     SELECT id, lease_until FROM worker WHERE lease_until > now() AND id <> $1 AND id NOT IN (SELECT id FROM gone)) AS living`,
);
const endSql = statement('webhooks.worker.end', 'DELETE FROM worker WHERE id = $1');
/** One that is locked is free all the same, as that of a worker which has gone. */
const releaseAllSql = statement(
  'webhooks.worker.release-lanes',
  `WITH own AS (SELECT webhook_id FROM lane WHERE owner = $1 ORDER BY webhook_id FOR NO KEY UPDATE SKIP LOCKED)
   UPDATE lane l SET owner = NULL FROM own WHERE l.webhook_id = own.webhook_id`,
);

interface LivingWorker {
  readonly id: string;
  /** As the database says it, to the microsecond. */
  readonly leaseUntil: string;
}

/**
 * The right of this process to own lanes, renewed while it works: what it owns is free when it has not renewed it for 6 s.
 *
 * So it is whatever the database's clock does: a lease that has not changed for 6 s while this process has looked is taken away. By a clock that
 * stepped back, that of a process which has gone would last until the clock has caught up.
 *
 * Each webhook has a preferred one of the living workers (rendezvous hashing), so that replicas share the webhooks evenly.
 */
export class WorkerLease {
  readonly id = newCuid();
  private living: readonly string[] = [];
  /** Leases of others, with the monotonic time since which they have not changed. */
  private seen = new Map<string, LivingWorker & { readonly sinceMs: number }>();

  constructor(private readonly database: Database) {}

  /** It was renewed once: before that nothing can be owned. */
  get isHeld(): boolean {
    return this.living.length > 0;
  }

  /** @returns the database's clock, milliseconds since 1970 */
  async renew(): Promise<number> {
    const askedMs = performance.now();
    const lapsed = [...this.seen.values()].filter(({ sinceMs }) => askedMs - sinceMs > LEASE_S * 1_000);
    const columns = [lapsed.map(({ id }) => id), lapsed.map(({ leaseUntil }) => leaseUntil)];
    const rows = await this.database.query(renewSql, [this.id, LEASE_S, ...columns]);
    this.living = rows.map(({ id }) => id);
    this.see(rows.filter(({ id }) => id !== this.id));
    return rows[0]?.nowMs ?? Date.now();
  }

  private see(others: readonly LivingWorker[]): void {
    const former = this.seen;
    const nowMs = performance.now();
    this.seen = new Map(
      others.map(({ id, leaseUntil }) => {
        const known = former.get(id);
        return [id, known?.leaseUntil === leaseUntil ? known : { id, leaseUntil, sinceMs: nowMs }];
      }),
    );
  }

  /** Gives back all that it owns. */
  async end(): Promise<void> {
    await this.database.query(releaseAllSql, [this.id]);
    await this.database.query(endSql, [this.id]);
  }

  /** Whether the webhook is rather this worker's than that of another. */
  isPreferred(webhookId: string): boolean {
    const own = weightOf(this.id, webhookId);
    return this.living.every((id) => id === this.id || weightOf(id, webhookId) < own);
  }
}

/** FNV-1a over both ids. */
function weightOf(workerId: string, webhookId: string): number {
  let hash = 0x811c9dc5;
  for (const text of [workerId, webhookId]) {
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
  }
  return hash >>> 0;
}
