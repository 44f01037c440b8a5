import { Injectable } from '@nestjs/common';
import type { OptOutSource } from '@switchboard/contracts/contacts/http';
import {
  Database,
  pruneSql,
  statement,
  unnestColumns,
  type PruneStatement,
  type Queryable,
  type Transaction,
} from '@switchboard/postgres';
import type { HeldConsent } from '../contact/contact.entity.js';
import { NumberHashes, type NumberHash } from './number-hash.js';

/** An alias of an organization's contacts. */
export interface AliasKey {
  readonly organizationId: string;
  readonly alias: string;
}

/** What is held for an alias. */
export interface HeldForAlias extends AliasKey, HeldConsent {}

/** An alias, with when preferences were stated of the contact that had it. */
export type StatedOfAlias = AliasKey & Pick<HeldConsent, 'statedAt'>;

/** What is left of a contact that is being erased, or is held for a number without one. */
export interface ErasedConsent extends Pick<HeldConsent, 'optOuts'> {
  readonly organizationId: string;
  readonly aliases: readonly string[];
  /** Of the opt-outs of erased contacts that it had taken over. */
  readonly takenGroups: readonly string[];
  /** A new one of its own. */
  readonly groupId: string;
}

/** Of an opt-out, or of what was stated on a channel. */
type HeldRow = { readonly organizationId: string; readonly aliasHmac: Buffer; readonly channelId: string } & (
  | { readonly source: OptOutSource; readonly groupId: string | null; readonly statedAt: null }
  | { readonly source: null; readonly groupId: null; readonly statedAt: Date }
);

/** Both by the primary keys of their tables. */
const findSql = statement<HeldRow>(
  'contacts.held-opt-out.find',
  `SELECT asked.organization_id AS "organizationId", asked.alias_hmac AS "aliasHmac", held.channel_id AS "channelId",
     held.source, held.group_id AS "groupId", held.stated_at AS "statedAt"
   FROM unnest($1::text[], $2::bytea[]) AS asked(organization_id, alias_hmac)
   CROSS JOIN LATERAL (
     SELECT h.channel_id, h.source, h.group_id, NULL::timestamptz AS stated_at FROM held_opt_out h
     WHERE h.organization_id = asked.organization_id AND h.alias_hmac = asked.alias_hmac
     UNION ALL
     SELECT s.channel_id, NULL, NULL, s.stated_at FROM held_statement s
     WHERE s.organization_id = asked.organization_id AND s.alias_hmac = asked.alias_hmac) held`,
);
const deleteSql = statement<Pick<HeldRow, 'organizationId' | 'aliasHmac' | 'channelId' | 'groupId'>>(
  'contacts.held-opt-out.delete',
  `DELETE FROM held_opt_out h USING unnest($1::text[], $2::bytea[]) AS gone(organization_id, alias_hmac)
   WHERE h.organization_id = gone.organization_id AND h.alias_hmac = gone.alias_hmac
   RETURNING h.organization_id AS "organizationId", h.alias_hmac AS "aliasHmac", h.channel_id AS "channelId",
     h.group_id AS "groupId"`,
);
const deleteStatementsSql = statement(
  'contacts.held-statement.delete',
  `DELETE FROM held_statement s USING unnest($1::text[], $2::bytea[]) AS gone(organization_id, alias_hmac)
   WHERE s.organization_id = gone.organization_id AND s.alias_hmac = gone.alias_hmac`,
);
const deleteGroupsSql = statement<{ hmac: Buffer }>(
  'contacts.held-opt-out.delete-groups',
  `DELETE FROM held_opt_out h USING unnest($1::text[], $2::uuid[]) AS gone(organization_id, group_id)
   WHERE h.organization_id = gone.organization_id AND h.group_id = gone.group_id RETURNING h.alias_hmac AS hmac`,
);
const insertSql = statement(
  'contacts.held-opt-out.insert',
  `INSERT INTO held_opt_out (organization_id, alias_hmac, channel_id, source, group_id)
   SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::uuid[]) ON CONFLICT DO NOTHING`,
);
/** In the order of the key. */
const insertStatementsSql = statement(
  'contacts.held-statement.insert',
  `INSERT INTO held_statement (organization_id, alias_hmac, channel_id, stated_at)
   SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::timestamptz[])
     AS said(organization_id, alias_hmac, channel_id, stated_at)
   ORDER BY organization_id COLLATE "C", alias_hmac, channel_id COLLATE "C"
   ON CONFLICT (organization_id, alias_hmac, channel_id)
     DO UPDATE SET stated_at = greatest(held_statement.stated_at, excluded.stated_at)`,
);
/** Deletes those of statements that are so many days old. */
export const pruneHeldStatements: PruneStatement = statement(
  'contacts.held-statement.prune',
  pruneSql({
    table: 'held_statement',
    key: ['organization_id', 'alias_hmac', 'channel_id'],
    age: 'stated_at',
    upTo: 'now() - make_interval(days => $2)',
  }),
);

/**
 * Consent of erased contacts: their opt-outs go on holding for the number, which is known by its keyed hash alone, and what was stated
 * applies no second time. What was stated is held for a number that a contact gave up, too.
 *
 * Of statements only the times are held: the provider's ids of messages name the number.
 */
@Injectable()
export class HeldOptOutRepository {
  constructor(
    private readonly database: Database,
    private readonly hashes: NumberHashes,
  ) {}

  /** What is held for the aliases, one item each that has any. One statement more than none where an organization holds nothing. */
  async find(aliases: readonly AliasKey[], through: Queryable = this.database): Promise<HeldForAlias[]> {
    const organizationIds = [...new Set(aliases.map(({ organizationId }) => organizationId))];
    const hashes = await this.hashes.find(through, organizationIds);
    const asked = hashed(aliases, hashes);
    if (asked.length === 0) return [];
    const rows = await through.query(findSql, unnestColumns(asked, ['organizationId', 'hmac']));
    const byAlias = Map.groupBy(rows, ({ organizationId, aliasHmac }) => rowKey(organizationId, aliasHmac));
    return asked.flatMap(({ organizationId, alias, hmac }) => {
      const own = byAlias.get(rowKey(organizationId, hmac));
      return own ? [{ organizationId, alias, ...consentOf(own) }] : [];
    });
  }

  /**
   * A contact has it by now: for the aliases nothing is held any more.
   *
   * @returns false when something else is held by now than was taken: an erasure holds for aliases of others too
   */
  async release(tx: Transaction, taken: readonly HeldForAlias[]): Promise<boolean> {
    if (taken.length === 0) return true;
    const hashes = await this.hashes.find(tx, [...new Set(taken.map(({ organizationId }) => organizationId))]);
    const keys = hashed(taken, hashes);
    const columns = unnestColumns(keys, ['organizationId', 'hmac']);
    const deleted = (await tx.query(deleteSql, columns)).map((row) => heldKey(row, row));
    tx.atCommit(deleteStatementsSql, columns);
    const expected = keys.flatMap((key) =>
      key.optOuts.map(({ channelId }) => heldKey({ ...key, aliasHmac: key.hmac }, { channelId, groupId: key.groupId })),
    );
    return JSON.stringify(deleted.sort()) === JSON.stringify(expected.sort());
  }

  /**
   * Holds the opt-outs of a contact that is being erased, or of a number without one, under each alias, in place of any that were, and in place of
   * what is left of those that it had taken over: by their other aliases it is the same person.
   */
  async hold(
    tx: Transaction,
    { organizationId, aliases, optOuts, takenGroups, groupId }: ErasedConsent,
  ): Promise<void> {
    const hash = await this.hashes.ensure(tx, organizationId);
    const own = aliases.map((alias) => ({ organizationId, hmac: hash(alias) }));
    await tx.query(deleteSql, unnestColumns(own, ['organizationId', 'hmac']));
    const groups = takenGroups.map((taken) => ({ organizationId, groupId: taken }));
    const left =
      groups.length > 0 ? await tx.query(deleteGroupsSql, unnestColumns(groups, ['organizationId', 'groupId'])) : [];
    const keys = [...own, ...left.map(({ hmac }) => ({ organizationId, hmac }))];
    const rows = keys.flatMap((key) =>
      optOuts.map(({ channelId, source }) => ({ ...key, channelId, source, groupId })),
    );
    if (rows.length === 0) return;
    await tx.query(insertSql, unnestColumns(rows, ['organizationId', 'hmac', 'channelId', 'source', 'groupId']));
  }

  /** Holds when preferences were last stated of contacts whose aliases these were, each alias once. Behind what is released with it. */
  async holdStatements(tx: Transaction, said: readonly StatedOfAlias[]): Promise<void> {
    const stated = said.filter(({ statedAt }) => Object.keys(statedAt).length > 0);
    const hashes = new Map<string, NumberHash>();
    // In one order: two transactions may make keys of the same organizations.
    for (const id of [...new Set(stated.map(({ organizationId }) => organizationId))].sort()) {
      hashes.set(id, await this.hashes.ensure(tx, id));
    }
    const rows = hashed(stated, hashes).flatMap(({ statedAt, ...key }) =>
      Object.entries(statedAt).map(([channelId, at]) => ({ ...key, channelId, at })),
    );
    if (rows.length === 0) return;
    tx.atCommit(insertStatementsSql, unnestColumns(rows, ['organizationId', 'hmac', 'channelId', 'at']));
  }
}

/** Those of organizations that have a key, each with its hash. */
function hashed<Key extends AliasKey>(
  aliases: readonly Key[],
  hashes: ReadonlyMap<string, NumberHash>,
): (Key & { readonly hmac: Buffer })[] {
  return aliases.flatMap((key) => {
    const hmac = hashes.get(key.organizationId)?.(key.alias);
    return hmac ? [{ ...key, hmac }] : [];
  });
}

function rowKey(organizationId: string, hmac: Buffer): string {
  return `${organizationId} ${hmac.toString('hex')}`;
}

function heldKey(
  { organizationId, aliasHmac }: Pick<HeldRow, 'organizationId' | 'aliasHmac'>,
  { channelId, groupId }: Pick<HeldRow, 'channelId' | 'groupId'>,
): string {
  return `${rowKey(organizationId, aliasHmac)} ${channelId} ${groupId}`;
}

/** Spelt in one order, so that what is the same compares as such. */
function consentOf(unordered: readonly HeldRow[]): HeldConsent {
  const rows = [...unordered].sort((one, other) => (one.channelId < other.channelId ? -1 : 1));
  const optOuts = rows.flatMap(({ channelId, source }) => (source === null ? [] : [{ channelId, source }]));
  const stated = rows.flatMap(({ channelId, statedAt }) => (statedAt ? [[channelId, statedAt.toISOString()]] : []));
  const groupId = rows.find((row) => row.groupId !== null)?.groupId ?? null;
  return { optOuts, statedAt: Object.fromEntries(stated), groupId };
}
