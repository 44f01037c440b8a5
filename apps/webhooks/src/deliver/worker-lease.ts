import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';

/** A worker that does not renew it for so long owns nothing any more. */
const LEASE_S = 6;
/** Renews the own lease, forgets workers that have gone, and names those that live. */
const renewSql = statement<{ id: string; nowMs: number }>(
  'webhooks.worker.renew',
  `WITH gone AS (
     DELETE FROM worker WHERE lease_until < now() - interval '1 hour'),
   own AS (
     INSERT INTO worker (id, lease_until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
     ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until RETURNING id)
   SELECT id, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
   FROM (SELECT id FROM own UNION SELECT id FROM worker WHERE lease_until > now()) AS living`,
);
const endSql = statement('webhooks.worker.end', 'DELETE FROM worker WHERE id = $1');
/** One that is locked is free all the same, as that of a worker which has gone. */
const releaseAllSql = statement(
  'webhooks.worker.release-lanes',
  `WITH own AS (SELECT webhook_id FROM lane WHERE owner = $1 ORDER BY webhook_id FOR NO KEY UPDATE SKIP LOCKED)
   UPDATE lane l SET owner = NULL FROM own WHERE l.webhook_id = own.webhook_id`,
);

/**
 * The right of this process to own lanes, renewed while it works: what it owns is free when it has not renewed it for 6 s.
 *
 * Each webhook has a preferred one of the living workers (rendezvous hashing), so that replicas share the webhooks evenly.
 */
export class WorkerLease {
  readonly id = newCuid();
  private living: readonly string[] = [];

  constructor(private readonly database: Database) {}

  /** It was renewed once: before that nothing can be owned. */
  get isHeld(): boolean {
    return this.living.length > 0;
  }

  /** @returns the database's clock, milliseconds since 1970 */
  async renew(): Promise<number> {
    const rows = await this.database.query(renewSql, [this.id, LEASE_S]);
    this.living = rows.map(({ id }) => id);
    return rows[0]?.nowMs ?? Date.now();
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
