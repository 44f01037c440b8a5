import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@switchboard/postgres';

/** An organization whose figures are counted anew, and how far that is. */
export interface Rebuild {
  readonly organizationId: string;
  readonly step: 'messages' | 'counts';
  /** Of messages an id, of counts the ISO 8601 time of a day; empty at the beginning of a step. */
  readonly position: string;
  /** The beginning of the ids that are counted anew; null as long as no page was read. */
  readonly oldestId: string | null;
}

/** How far a rebuild is after a piece of work, and what that came to. */
export interface RebuildProgress {
  readonly step: Rebuild['step'] | 'done';
  readonly position: string;
  readonly oldestId: string | null;
  readonly messagesRead: number;
  readonly factsCorrected: number;
  readonly countsCorrected: number;
}

/** A replica that works on an organization has it for so long from each piece of work on. */
const LEASE_SECONDS = 30;

/** Replicas take different organizations; what is leased is not waited for. */
const claim = statement<Rebuild>(
  'analytics.rebuild.claim',
  `UPDATE rebuild SET due_at = now() + make_interval(secs => ${LEASE_SECONDS})
   WHERE organization_id = (SELECT organization_id FROM rebuild WHERE step <> 'done' AND due_at <= now()
     ORDER BY due_at, organization_id LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING organization_id AS "organizationId", step, position, oldest_id AS "oldestId"`,
);
const open = statement<{ open: number }>(
  'analytics.rebuild.open',
  `SELECT count(*)::int AS open FROM rebuild WHERE step <> 'done'`,
);
const hold = statement(
  'analytics.rebuild.hold',
  `SELECT FROM rebuild WHERE organization_id = $1 AND step = $2 AND position = $3 FOR UPDATE`,
);
const advance = statement(
  'analytics.rebuild.advance',
  `UPDATE rebuild SET step = $4, position = $5, oldest_id = $6, messages_read = messages_read + $7,
     facts_corrected = facts_corrected + $8, counts_corrected = counts_corrected + $9, failure = NULL,
     due_at = now() + make_interval(secs => ${LEASE_SECONDS}),
     finished_at = CASE WHEN $4 = 'done' THEN now() END
   WHERE organization_id = $1 AND step = $2 AND position = $3`,
);
const fail = statement(
  'analytics.rebuild.fail',
  `UPDATE rebuild SET failure = $2, due_at = now() + interval '5 seconds' WHERE organization_id = $1 AND step <> 'done'`,
);
/** Of every organization that has figures. An open one begins again: what it has counted was of another state. */
const requestAll = statement<{ organizations: number }>(
  'analytics.rebuild.request-all',
  `WITH RECURSIVE known AS (
     (SELECT organization_id AS id FROM rollup ORDER BY organization_id LIMIT 1)
     UNION ALL
     SELECT (SELECT organization_id FROM rollup WHERE organization_id > known.id ORDER BY organization_id LIMIT 1)
     FROM known WHERE known.id IS NOT NULL),
   requested AS (
     INSERT INTO rebuild (organization_id, due_at) SELECT id, now() + make_interval(secs => $1) FROM known WHERE id IS NOT NULL
     ON CONFLICT (organization_id) DO UPDATE SET requested_at = now(), due_at = excluded.due_at, step = 'messages',
       position = '', oldest_id = NULL, messages_read = 0, facts_corrected = 0, counts_corrected = 0, failure = NULL,
       finished_at = NULL
     RETURNING true)
   SELECT count(*)::int AS organizations FROM requested`,
);

/** Which organizations are counted anew. `npm run admin -- analytics rebuild` writes them. */
@Injectable()
export class RebuildRepository {
  constructor(private readonly database: Database) {}

  /** The organization that has waited longest; this replica has it for 30 s, and for as long after each piece of work. */
  async claim(): Promise<Rebuild | undefined> {
    if ((await this.open()) === 0) return undefined;
    return (await this.database.query(claim, []))[0];
  }

  /** Organizations that are not done. */
  async open(): Promise<number> {
    return (await this.database.query(open, []))[0]?.open ?? 0;
  }

  /** Keeps why a piece of work failed, for who asks; it is tried again in 5 s. */
  async failed(organizationId: string, reason: string): Promise<void> {
    await this.database.query(fail, [organizationId, reason]);
  }
}

/** Holds a rebuild until the transaction ends. @returns false when another process has gone on from there meanwhile */
export async function holdRebuild(tx: Transaction, { organizationId, step, position }: Rebuild): Promise<boolean> {
  return (await tx.query(hold, [organizationId, step, position])).length > 0;
}

/** Says how far a rebuild is that the transaction holds. Travels with COMMIT. */
export function advanceRebuild(tx: Transaction, from: Rebuild, to: RebuildProgress): void {
  const { organizationId, step, position } = from;
  const { messagesRead, factsCorrected, countsCorrected } = to;
  const counts = [messagesRead, factsCorrected, countsCorrected];
  tx.atCommit(advance, [organizationId, step, position, to.step, to.position, to.oldestId, ...counts]);
}

/** Has the figures of every known organization counted anew. @param afterSeconds not earlier @returns how many they are */
export async function requestRebuilds(database: Pick<Database, 'query'>, afterSeconds: number): Promise<number> {
  return (await database.query(requestAll, [afterSeconds]))[0]?.organizations ?? 0;
}
