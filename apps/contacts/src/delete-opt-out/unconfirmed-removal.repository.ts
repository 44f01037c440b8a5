import { Injectable } from '@nestjs/common';
import { findEvent } from '@switchboard/outbox';
import { Database, pruneSql, statement, type PruneStatement } from '@switchboard/postgres';

/** An opt-out that a call is removing, or has removed. */
export interface Removal {
  readonly organizationId: string;
  readonly optOutId: string;
  readonly contactId: string;
}

const beginSql = statement(
  'contacts.removal.begin',
  'INSERT INTO unconfirmed_removal (organization_id, opt_out_id, contact_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);
const findSql = statement<Removal>(
  'contacts.removal.find',
  `SELECT organization_id AS "organizationId", opt_out_id AS "optOutId", contact_id AS "contactId"
   FROM unconfirmed_removal WHERE organization_id = $1 AND opt_out_id = $2`,
);
const endSql = statement(
  'contacts.removal.end',
  'DELETE FROM unconfirmed_removal WHERE organization_id = $1 AND opt_out_id = $2',
);
/** Deletes removals that began more than a day ago: their callers have not asked again. */
export const pruneRemovals: PruneStatement = statement(
  'contacts.removal.forget',
  pruneSql({
    table: 'unconfirmed_removal',
    key: ['organization_id', 'opt_out_id'],
    age: 'started_at',
    upTo: "now() - interval '1 day'",
  }),
);

/**
 * Remembers removals that messaging has not confirmed. The opt-out is gone by then, and the caller's next try must answer
 * whether sends pass, not that there is no such opt-out.
 */
@Injectable()
export class UnconfirmedRemovalRepository {
  constructor(private readonly database: Database) {}

  /** Called before the opt-out is deleted: a process that dies in between leaves a row too many, never one too few. */
  async begin({ organizationId, optOutId, contactId }: Removal): Promise<void> {
    await this.database.query(beginSql, [organizationId, optOutId, contactId]);
  }

  async find(organizationId: string, optOutId: string): Promise<Removal | null> {
    const [removal] = await this.database.query(findSql, [organizationId, optOutId]);
    return removal ?? null;
  }

  /** Whether a try of the call has removed an opt-out: its event has the call's id. */
  async isDoneBy(callId: string): Promise<boolean> {
    return (await findEvent(this.database, callId)) !== null;
  }

  /** Called when messaging has confirmed: from now on there is no such opt-out. */
  async end({ organizationId, optOutId }: Removal): Promise<void> {
    await this.database.query(endSql, [organizationId, optOutId]);
  }
}
