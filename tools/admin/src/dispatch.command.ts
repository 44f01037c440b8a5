import { operate } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';
import { requireStopped, servicesIn } from './services.js';

/**
 * As long as an outcome is waited for: after it the message fails as `UPSTREAM_OUTCOME_UNKNOWN`. The lease is new and names no
 * journal, so that none which outlived the restore says of an attempt that it never began. Lanes are paused in the same statement: a
 * recipient that waits in a restored one may have its message by now, and is sent to by hand, once that is known.
 */
const SET_UNKNOWN = `
  WITH paused AS (UPDATE messaging.bulk_lane SET is_paused = true WHERE is_open AND NOT is_withdrawn)
  UPDATE messaging.dispatch SET state = 'UNKNOWN', due_at = now() + interval '24 hours', lease = 'restored'
  WHERE state IN ('RETRY', 'PACED', 'DISPATCHING')`;
const LOCK = `
  SELECT organization_id AS organization, due_at > now() AS "isAwaited" FROM messaging.dispatch
  WHERE message_id = $1 AND state = 'UNKNOWN' FOR UPDATE`;
/** The worker that settles what is overdue looks every few seconds. */
const GIVE_UP = `UPDATE messaging.dispatch SET due_at = now() WHERE organization_id = $1 AND message_id = $2`;

/**
 * Makes every attempt UNKNOWN that is due or under way: in a database that was restored from a backup it is not known which
 * of them were made since. A status that carries our reference settles each. Lanes of bulk sends are paused.
 *
 * @throws UsageError without `--all`; Error while messaging is connected, which would send them meanwhile
 */
export async function setAttemptsUnknown(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  if (!choices.all) throw new UsageError('It concerns every message that is still to be sent: give --all.');
  await requireStopped(client, await servicesIn(client, 'messaging'));
  const { rowCount } = await client.query(SET_UNKNOWN);
  const attempts = rowCount ?? 0;
  return [choices.json ? JSON.stringify({ attempts }) : `${attempts} attempts are UNKNOWN now; none is made again.`];
}

/**
 * Awaits the unknown outcome of a message no longer: messaging fails it within seconds, as it would after 24 hours. The audit log
 * of the message's organization says so, in the same transaction.
 */
export async function giveUpOutcome(
  client: pg.ClientBase,
  { operands: [messageId], json }: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  if (messageId === undefined) throw new UsageError('Which message? Give its id.');
  await servicesIn(client, 'messaging');
  const database = await gatewayDatabase(client);
  await database.transaction(async (tx) => {
    const { rows } = await client.query<{ organization: string; isAwaited: boolean }>(LOCK, [messageId]);
    const [found] = rows;
    if (!found) throw new Error(`The message ${messageId} awaits no unknown outcome.`);
    if (!found.isAwaited) return;
    await client.query(GIVE_UP, [found.organization, messageId]);
    operate(database, operator).appendGivenUp(tx, found.organization, messageId);
  });
  const said = `The message ${messageId} will be FAILED with UPSTREAM_OUTCOME_UNKNOWN within seconds.`;
  return [json ? JSON.stringify({ messageId }) : said];
}
