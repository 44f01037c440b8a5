import { Injectable } from '@nestjs/common';
import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import { isPhoneForm, upstreamUserIdOf } from '../contact/alias.policy.js';

interface FormerAliases {
  readonly until: string;
  readonly aliases: readonly string[];
}

/** By what the person of an erased contact is found. */
export interface ErasedPerson {
  /** The contact that goes on, where the erased one had been merged; null: none, or it is erased as well. */
  readonly mergedInto: string | null;
  /** Of the contact, or of the one that went on, when it was erased. */
  readonly aliases: readonly string[];
}

/** Former ones by the moments at which they were given up: most contacts have none. */
const findSql = statement<{ aliases: readonly string[]; former: readonly FormerAliases[] | null }>(
  'contacts.erased-number.find',
  `SELECT aliases, (
     SELECT json_agg(json_build_object('until', until, 'aliases', aliases) ORDER BY until) FROM (
       SELECT until, array_agg(alias ORDER BY alias) AS aliases FROM former_alias f
       WHERE f.organization_id = n.organization_id AND f.contact_id = n.contact_id GROUP BY until) AS given_up) AS former
   FROM erased_number n WHERE organization_id = $1 AND contact_id = $2`,
);
/** A replica of the release before has led nothing on: the contact that went on may be erased all the same. */
const findPersonSql = statement<ErasedPerson>(
  'contacts.erased-number.find-person',
  `SELECT n.merged_into AS "mergedInto", coalesce(n.person_aliases, gone.aliases, n.aliases) AS aliases
   FROM erased_number n LEFT JOIN erased_number gone ON gone.organization_id = n.organization_id AND gone.contact_id = n.merged_into
   WHERE n.organization_id = $1 AND n.contact_id = $2`,
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
const forgetFormerSql = statement(
  'contacts.former-alias.forget',
  'DELETE FROM former_alias WHERE organization_id = $1 AND contact_id = $2',
);

/** The numbers of erased contacts, former ones too, until every service has confirmed. */
@Injectable()
export class ErasedNumberRepository {
  constructor(private readonly database: Database) {}

  /** Empty lists when they are gone. */
  async find(organizationId: string, contactId: string): Promise<ErasedNumbers> {
    const [row] = await this.database.query(findSql, [organizationId, contactId]);
    const former = (row?.former ?? []).map(({ until, aliases }) => ({
      ...namesOf(aliases),
      until: new Date(until).toISOString(),
    }));
    return { ...namesOf(row?.aliases ?? []), former };
  }

  /** @returns undefined when nothing is kept of it */
  async findPerson(organizationId: string, contactId: string): Promise<ErasedPerson | undefined> {
    return (await this.database.query(findPersonSql, [organizationId, contactId]))[0];
  }

  /** A service is done; with the last one the numbers go. */
  async confirm(organizationId: string, contactId: string, service: string): Promise<void> {
    const key = [organizationId, contactId];
    const confirm = async (tx: Transaction): Promise<void> => {
      const [row] = await tx.query(confirmSql, [...key, service]);
      if (!row?.isLast) return;
      tx.atCommit(forgetSql, key);
      tx.atCommit(forgetFormerSql, key);
    };
    await this.database.transaction(confirm, { tenant: organizationId });
  }
}

function namesOf(aliases: readonly string[]): Pick<ErasedNumbers, 'phoneForms' | 'upstreamUserIds'> {
  return {
    phoneForms: aliases.filter(isPhoneForm),
    upstreamUserIds: aliases.filter((alias) => !isPhoneForm(alias)).map(upstreamUserIdOf),
  };
}
