import { Injectable } from '@nestjs/common';
import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { Database, statement } from '@switchboard/postgres';
import { isPhoneForm, upstreamUserIdOf } from '../contact/alias.policy.js';

const findSql = statement<{ aliases: string[] }>(
  'contacts.erased-number.find',
  'SELECT aliases FROM erased_number WHERE organization_id = $1 AND contact_id = $2',
);
const confirmSql = statement<{ isLast: boolean }>(
  'contacts.erased-number.confirm',
  `UPDATE erased_number SET waits_for = array_remove(waits_for, $3)
   WHERE organization_id = $1 AND contact_id = $2 RETURNING waits_for = '{}' AS "isLast"`,
);
const forgetSql = statement(
  'contacts.erased-number.forget',
  `DELETE FROM erased_number WHERE organization_id = $1 AND contact_id = $2 AND waits_for = '{}'`,
);

/** The numbers of erased contacts, until every service has confirmed. */
@Injectable()
export class ErasedNumberRepository {
  constructor(private readonly database: Database) {}

  /** Empty lists when they are gone. */
  async find(organizationId: string, contactId: string): Promise<ErasedNumbers> {
    const [row] = await this.database.query(findSql, [organizationId, contactId]);
    const aliases = row?.aliases ?? [];
    return {
      phoneForms: aliases.filter(isPhoneForm),
      upstreamUserIds: aliases.filter((alias) => !isPhoneForm(alias)).map(upstreamUserIdOf),
    };
  }

  /** A service is done; with the last one the numbers go. */
  async confirm(organizationId: string, contactId: string, service: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [row] = await tx.query(confirmSql, [organizationId, contactId, service]);
      if (row?.isLast) tx.atCommit(forgetSql, [organizationId, contactId]);
    });
  }
}
