import { operate } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';
import { servicesIn } from './services.js';

/** The upstream's own highest rate of a line is far below it; a larger number is a mistake. */
const PER_SECOND_MAX = 10_000;
/** A channel has no row before its first bulk send. */
const INSERT = `
  INSERT INTO messaging.channel_pace (organization_id, channel_id)
  SELECT organization_id, id FROM messaging.channel WHERE id = $1 ON CONFLICT DO NOTHING`;
const LOCK = `
  SELECT p.organization_id AS organization, p.per_second AS "perSecond"
  FROM messaging.channel h JOIN messaging.channel_pace p ON p.organization_id = h.organization_id AND p.channel_id = h.id
  WHERE h.id = $1 FOR UPDATE OF p`;
const SET = `
  UPDATE messaging.channel_pace SET per_second = $3::real WHERE organization_id = $1 AND channel_id = $2
  RETURNING per_second AS "perSecond"`;

interface Rate {
  readonly perSecond: number | null;
}

/**
 * Sets how many attempts a second a channel makes, for bulk sends of every job together; `default` is messaging's own number.
 * A change is in the audit log of the channel's organization, in the same transaction.
 *
 * @throws UsageError for a number that is none; Error when there is no such channel
 */
export async function setChannelRate(
  client: pg.ClientBase,
  { operands, json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  const [channel, rate] = operands;
  if (channel === undefined || rate === undefined) throw new UsageError('Give the id of a channel and its rate.');
  const perSecond = rate === 'default' ? null : Number(rate);
  if (perSecond !== null && !(perSecond > 0 && perSecond <= PER_SECOND_MAX)) {
    throw new UsageError(`A rate is above 0 and at most ${PER_SECOND_MAX} a second, or "default".`);
  }
  await servicesIn(client, 'messaging');
  const organization = await change(client, { channel, perSecond, operator });
  if (json) return [JSON.stringify({ channel, perSecond, organization })];
  return [`${channel} begins ${perSecond === null ? 'the default number of' : perSecond} attempts a second.`];
}

/** @returns the organization of the channel */
async function change(
  client: pg.ClientBase,
  { channel, perSecond, operator }: Rate & { readonly channel: string; readonly operator: string | null },
): Promise<string> {
  const database = await gatewayDatabase(client);
  return database.transaction(async (tx) => {
    await client.query(INSERT, [channel]);
    const { rows: found } = await client.query<Rate & { organization: string }>(LOCK, [channel]);
    const [before] = found;
    if (!before) throw new Error(`There is no channel ${channel}.`);
    const { organization } = before;
    const { rows: changed } = await client.query<Rate>(SET, [organization, channel, perSecond]);
    const after = changed[0]?.perSecond ?? null;
    if (after === before.perSecond) return organization;
    const rates = { channelId: channel, before: before.perSecond, after };
    operate(database, operator).appendChannelRate(tx, organization, rates);
    return organization;
  });
}
