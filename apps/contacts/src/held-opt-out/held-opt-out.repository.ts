import { Injectable } from '@nestjs/common';
import type { OptOutSource } from '@switchboard/contracts/contacts/http';
import { Database, statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { OptOut } from '../contact/contact.entity.js';
import { NumberHashes } from './number-hash.js';

/** An alias of an organization's contacts. */
export interface AliasKey {
  readonly organizationId: string;
  readonly alias: string;
}

/** An opt-out of an erased contact, under one of the aliases that it had. */
export interface HeldOptOut extends AliasKey, Pick<OptOut, 'channelId' | 'source'> {}

interface HeldRow {
  readonly organizationId: string;
  readonly aliasHmac: Buffer;
  readonly channelId: string;
  readonly source: OptOutSource;
}

const findSql = statement<HeldRow>(
  'contacts.held-opt-out.find',
  `SELECT h.organization_id AS "organizationId", h.alias_hmac AS "aliasHmac", h.channel_id AS "channelId", h.source
   FROM unnest($1::text[], $2::bytea[]) AS asked(organization_id, alias_hmac)
   JOIN held_opt_out h ON h.organization_id = asked.organization_id AND h.alias_hmac = asked.alias_hmac`,
);
const deleteSql = statement(
  'contacts.held-opt-out.delete',
  `DELETE FROM held_opt_out h USING unnest($1::text[], $2::bytea[]) AS gone(organization_id, alias_hmac)
   WHERE h.organization_id = gone.organization_id AND h.alias_hmac = gone.alias_hmac`,
);
const insertSql = statement(
  'contacts.held-opt-out.insert',
  `INSERT INTO held_opt_out (organization_id, alias_hmac, channel_id, source)
   SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
);

/** Opt-outs of erased contacts: they go on holding for the number, which is known by its keyed hash alone. */
@Injectable()
export class HeldOptOutRepository {
  constructor(
    private readonly database: Database,
    private readonly hashes: NumberHashes,
  ) {}

  /** The opt-outs that are held for the aliases. One statement more than none where an organization never erased anybody. */
  async find(aliases: readonly AliasKey[]): Promise<HeldOptOut[]> {
    const organizationIds = [...new Set(aliases.map(({ organizationId }) => organizationId))];
    const hashes = await this.hashes.find(this.database, organizationIds);
    const asked = new Map<string, AliasKey>();
    const keys = aliases.flatMap((key) => {
      const hmac = hashes.get(key.organizationId)?.(key.alias);
      if (!hmac) return [];
      asked.set(`${key.organizationId} ${hmac.toString('hex')}`, key);
      return [{ ...key, hmac }];
    });
    if (keys.length === 0) return [];
    const rows = await this.database.query(findSql, unnestColumns(keys, ['organizationId', 'hmac']));
    return rows.flatMap(({ organizationId, aliasHmac, channelId, source }) => {
      const key = asked.get(`${organizationId} ${aliasHmac.toString('hex')}`);
      return key ? [{ ...key, channelId, source }] : [];
    });
  }

  /** A contact has them by now: for the aliases none is held any more. */
  async release(tx: Transaction, aliases: readonly AliasKey[]): Promise<void> {
    if (aliases.length === 0) return;
    const hashes = await this.hashes.find(tx, [...new Set(aliases.map(({ organizationId }) => organizationId))]);
    const keys = aliases.flatMap(({ organizationId, alias }) => {
      const hmac = hashes.get(organizationId)?.(alias);
      return hmac ? [{ organizationId, hmac }] : [];
    });
    tx.atCommit(deleteSql, unnestColumns(keys, ['organizationId', 'hmac']));
  }

  /** Holds the opt-outs of a contact that is being erased, under each alias that it had, in place of any that were. */
  async hold(
    tx: Transaction,
    organizationId: string,
    aliases: readonly string[],
    optOuts: readonly Pick<OptOut, 'channelId' | 'source'>[],
  ): Promise<void> {
    const hash = await this.hashes.ensure(tx, organizationId);
    const keys = aliases.map((alias) => ({ organizationId, hmac: hash(alias) }));
    await tx.query(deleteSql, unnestColumns(keys, ['organizationId', 'hmac']));
    const rows = keys.flatMap((key) => optOuts.map(({ channelId, source }) => ({ ...key, channelId, source })));
    if (rows.length === 0) return;
    await tx.query(insertSql, unnestColumns(rows, ['organizationId', 'hmac', 'channelId', 'source']));
  }
}
