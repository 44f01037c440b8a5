import { statement, type Database, type Queryable } from '@switchboard/postgres';
import {
  AuditChainCheck,
  type AuditFault,
  type AuditHead,
  type StoredAuditEntry,
} from '../audit/audit-chain.policy.js';

export type { AuditFault, AuditHead } from '../audit/audit-chain.policy.js';

/** What to look at. */
export interface VerifyAuditOptions {
  /** One organization; all by default. */
  readonly organizationId?: string | undefined;
  /** Heads that were noted elsewhere, of any age. */
  readonly noted?: readonly AuditHead[];
  /** Called after each page with the number of rows read so far. */
  readonly onRows?: (rows: number) => void;
}

/** One chain, after it was walked to its end or to its first fault. */
export interface VerifiedChain {
  readonly organizationId: string;
  /** How many rows were looked at. */
  readonly rows: number;
  /** How many were removed before them for their age. */
  readonly removed: number;
  readonly fault: AuditFault | null;
  /** What the database says is its end; null when it says nothing. */
  readonly head: AuditHead | null;
}

const PAGE_ROWS = 1_000;
/** Below every sequence, those that the database never gives out as well: bigint's least. */
const BELOW_ALL = '-9223372036854775808';

/** A chain is walked as it was at one moment: entries go on being written meanwhile. */
const beginSnapshot = statement(
  'gateway.begin-audit-snapshot',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
);

/** A chain whose rows or whose head is gone is one still, and so is that of an organization which has neither. */
const nextChain = statement<{ id: string | null }>(
  'gateway.next-audit-chain',
  `SELECT min(organization_id) AS id FROM (
     (SELECT organization_id FROM audit_head WHERE organization_id > $1 ORDER BY organization_id LIMIT 1)
     UNION ALL
     (SELECT organization_id FROM audit_entry WHERE organization_id > $1 ORDER BY organization_id LIMIT 1)
     UNION ALL
     (SELECT id FROM organization WHERE id > $1 ORDER BY id LIMIT 1)) AS chain`,
);

/** The transaction that makes an organization writes its first entry as well. */
const hasOrganization = statement<{ is: boolean }>(
  'gateway.has-organization-to-audit',
  'SELECT EXISTS (SELECT FROM organization WHERE id = $1) AS is',
);

const readHead = statement<{ sequence: number; hash: string }>(
  'gateway.read-audit-head',
  `SELECT sequence::float8 AS sequence, encode(hash, 'hex') AS hash FROM audit_head WHERE organization_id = $1`,
);

const readFloor = statement<{ sequence: number; hash: string }>(
  'gateway.read-audit-floor',
  `SELECT sequence::float8 AS sequence, encode(hash, 'hex') AS hash FROM audit_floor WHERE organization_id = $1`,
);

const readEntries = statement<StoredAuditEntry>(
  'gateway.read-audit-entries',
  `SELECT organization_id AS "organizationId", sequence::text AS sequence, action, actor_type AS "actorType",
     actor_id AS "actorId", actor_email AS "actorEmail", address, trace_id AS "traceId",
     (extract(epoch FROM at) * 1000000)::bigint::text AS at, recorded_by AS "recordedBy", before::text AS before,
     after::text AS after, encode(hash, 'hex') AS hash
   FROM audit_entry WHERE organization_id = $1 AND audit_entry.sequence > $2::bigint
   ORDER BY audit_entry.sequence LIMIT $3`,
);

/** Walks the chains of the audit log in the order of their organizations, one page in memory at a time. */
export async function* verifyAudit(
  database: Pick<Database, 'query' | 'transaction'>,
  { organizationId, noted = [], onRows = () => undefined }: VerifyAuditOptions,
): AsyncGenerator<VerifiedChain> {
  const notes = notesByChain(
    noted.filter((head) => organizationId === undefined || head.organizationId === organizationId),
  );
  const before = { rows: 0 };
  const walk = (id: string): Promise<VerifiedChain> => {
    const check = new AuditChainCheck(id, notes.get(id));
    notes.delete(id);
    return database.transaction(async (tx) => {
      await tx.query(beginSnapshot, []);
      return walkChain(tx, id, check, (rows) => onRows((before.rows += rows)));
    });
  };
  if (organizationId !== undefined) return void (yield await walk(organizationId));
  for (let id = ''; ;) {
    const [next] = await database.query(nextChain, [id]);
    if (!next?.id) break;
    id = next.id;
    yield await walk(id);
  }
  // Noted once, and nothing of it is left.
  for (const id of notes.keys()) yield await walk(id);
}

async function walkChain(
  tx: Queryable,
  organizationId: string,
  check: AuditChainCheck,
  onRows: (rows: number) => void,
): Promise<VerifiedChain> {
  const [found] = await tx.query(readHead, [organizationId]);
  const head = found ? { organizationId, ...found } : null;
  const [floor] = await tx.query(readFloor, [organizationId]);
  let rows = 0;
  let fault: AuditFault | null = floor ? check.begin(floor) : null;
  for (let last = BELOW_ALL; fault === null;) {
    const page = await tx.query(readEntries, [organizationId, last, PAGE_ROWS]);
    for (const entry of page) {
      rows++;
      last = entry.sequence;
      fault = check.next(entry);
      if (fault) break;
    }
    onRows(page.length);
    if (page.length < PAGE_ROWS) break;
  }
  const [organization] = await tx.query(hasOrganization, [organizationId]);
  return {
    organizationId,
    rows,
    removed: floor?.sequence ?? 0,
    head,
    fault: fault ?? check.end(head, organization?.is ?? false),
  };
}

/** All of them: of a row that was noted twice, the one note must not hide the other. */
function notesByChain(noted: readonly AuditHead[]): Map<string, Map<number, Set<string>>> {
  const notes = new Map<string, Map<number, Set<string>>>();
  for (const { organizationId, sequence, hash } of noted) {
    const known = notes.get(organizationId) ?? new Map<number, Set<string>>();
    notes.set(organizationId, known.set(sequence, (known.get(sequence) ?? new Set()).add(hash)));
  }
  return notes;
}
