import type pg from 'pg';
import { UsageError, type Choices } from './command-line.js';
import { servicesIn } from './services.js';

/** The upstream's own highest rate of a line is far below it; a larger number is a mistake. */
const PER_SECOND_MAX = 10_000;
const SET = `
  INSERT INTO messaging.channel_pace AS p (organization_id, channel_id, per_second)
  SELECT organization_id, id, $2::real FROM messaging.channel WHERE id = $1
  ON CONFLICT (organization_id, channel_id) DO UPDATE SET per_second = excluded.per_second
  RETURNING p.organization_id AS organization`;

/**
 * Sets how many attempts a second a channel makes, for bulk sends of every job together; `default` is messaging's own number.
 *
 * @throws UsageError for a number that is none; Error when there is no such channel
 */
export async function setChannelRate(client: pg.ClientBase, { operands, json }: Choices): Promise<string[]> {
  const [channel, rate] = operands;
  if (channel === undefined || rate === undefined) throw new UsageError('Give the id of a channel and its rate.');
  const perSecond = rate === 'default' ? null : Number(rate);
  if (perSecond !== null && !(perSecond > 0 && perSecond <= PER_SECOND_MAX)) {
    throw new UsageError(`A rate is above 0 and at most ${PER_SECOND_MAX} a second, or "default".`);
  }
  await servicesIn(client, 'messaging');
  const { rows } = await client.query<{ organization: string }>(SET, [channel, perSecond]);
  const [found] = rows;
  if (!found) throw new Error(`There is no channel ${channel}.`);
  if (json) return [JSON.stringify({ channel, perSecond, ...found })];
  return [`${channel} begins ${perSecond === null ? 'the default number of' : perSecond} attempts a second.`];
}
