import { Injectable } from '@nestjs/common';
import {
  Database,
  pruneSql,
  statement,
  type PruneStatement,
  type Queryable,
  type Transaction,
} from '@switchboard/postgres';

/** An erasure that is committed, and that messaging has not confirmed to its caller. */
export interface UnconfirmedErasure {
  readonly organizationId: string;
  readonly contactId: string;
  /** Above every version that the contact ever had. */
  readonly version: number;
  readonly erasedAt: Date;
}

const beginSql = statement(
  'contacts.unconfirmed-erasure.begin',
  'INSERT INTO unconfirmed_erasure (organization_id, contact_id, version) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);
const findSql = statement<UnconfirmedErasure>(
  'contacts.unconfirmed-erasure.find',
  `SELECT u.organization_id AS "organizationId", u.contact_id AS "contactId", u.version::float8 AS version,
     coalesce(e.erased_at, u.started_at) AS "erasedAt"
   FROM unconfirmed_erasure u
   LEFT JOIN erasure e ON e.organization_id = u.organization_id AND e.contact_id = u.contact_id
   WHERE u.organization_id = $1 AND u.contact_id = $2`,
);
const endSql = statement(
  'contacts.unconfirmed-erasure.end',
  'DELETE FROM unconfirmed_erasure WHERE organization_id = $1 AND contact_id = $2',
);
/** Deletes erasures that began more than a day ago: their callers have not asked again. */
export const pruneErasures: PruneStatement = statement(
  'contacts.unconfirmed-erasure.forget',
  pruneSql({
    table: 'unconfirmed_erasure',
    key: ['organization_id', 'contact_id'],
    age: 'started_at',
    upTo: "now() - interval '1 day'",
  }),
);

/**
 * Remembers erasures that messaging has not confirmed. The contact is gone by then, and the caller's next call must
 * answer whether sends go to it, not that there is no such contact.
 */
@Injectable()
export class UnconfirmedErasureRepository {
  constructor(private readonly database: Database) {}

  /** In the transaction that erases. */
  begin(tx: Transaction, { organizationId, contactId, version }: Omit<UnconfirmedErasure, 'erasedAt'>): void {
    tx.atCommit(beginSql, [organizationId, contactId, version]);
  }

  /** Null when messaging has confirmed it, or it was not erased. */
  async find(through: Queryable, organizationId: string, contactId: string): Promise<UnconfirmedErasure | null> {
    const [erasure] = await through.query(findSql, [organizationId, contactId]);
    return erasure ?? null;
  }

  /** Called when messaging has confirmed: from now on there is no such contact. */
  async end({ organizationId, contactId }: Pick<UnconfirmedErasure, 'organizationId' | 'contactId'>): Promise<void> {
    await this.database.query(endSql, [organizationId, contactId]);
  }
}
