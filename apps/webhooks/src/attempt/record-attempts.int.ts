import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import type { MarkedAttempt } from '../delivery/delivery.entity.js';
import { readPending } from '../delivery/pending-deliveries.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { readSealedSecrets, storeSecrets } from '../webhook/secret.repository.js';
import { beginAttempts, unmarkAttempts, unrecordedOf, type BegunRequest } from './record-attempts.repository.js';

const servers = testServers();
const markSql = statement<{ mark: string | null }>(
  't.mark',
  'SELECT attempt_id AS mark FROM delivery WHERE webhook_id = $1',
);
const formerSql = statement(
  't.former',
  `UPDATE webhook SET previous_secret_sealed = '\\x02', previous_secret_until = now() + $2::interval WHERE id = $1`,
);
const resetSql = statement('t.reset', `UPDATE delivery SET kind = 'AUTOMATIC', tries = 0 WHERE webhook_id = $1`);
let database: Database;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
});

/** Two attempts of one delivery, as two workers have read it before either began. */
async function attempts(webhook: StoredWebhook): Promise<[MarkedAttempt, MarkedAttempt]> {
  const looks = { lookMax: 8, ofLineMax: 8 };
  const floors = { firsts: 0, replays: 0, retries: 0, marked: 0 };
  const asked = { webhookId: webhook.id, readMax: 8, retriesMax: 8, looks, floors };
  const delivery = (await readPending(database, [asked])).get(webhook.id)?.firsts[0];
  if (!delivery) throw new Error('nothing is pending');
  const beganAtMs = Date.now();
  const attempt = (): MarkedAttempt => ({ delivery, id: newCuid(), beganAtMs, leaseUntilMs: beganAtMs + 15_000 });
  return [attempt(), attempt()];
}

async function begin(attempt: MarkedAttempt): Promise<readonly BegunRequest[]> {
  let begun: readonly BegunRequest[] = [];
  await database.transaction(async (tx) => beginAttempts(tx, [attempt], (requests) => (begun = requests)));
  return begun;
}

async function markOf({ id }: StoredWebhook): Promise<string | null | undefined> {
  return (await database.query(markSql, [id]))[0]?.mark;
}

describe('an attempt of a delivery that another one is marked with', () => {
  it('does not begin: it has no request, and the mark stays', async () => {
    const webhook = await storeWebhook(database, 1);
    const [first, second] = await attempts(webhook);
    expect(await begin(first)).toMatchObject([{ attemptId: first.id }]);
    expect(await begin(second)).toEqual([]);
    expect(await markOf(webhook)).toBe(first.id);
  });

  it('has an end that is not to be recorded, and takes the mark of the other one not back', async () => {
    const webhook = await storeWebhook(database, 1);
    const [first, second] = await attempts(webhook);
    const unrecorded = (): Promise<ReadonlySet<string>> =>
      database.transaction((tx) => unrecordedOf(tx, [first, second]));
    await begin(first);
    expect(await unrecorded()).toEqual(new Set([first.id]));
    // Another worker has found that the lease of the first was over.
    await unmarkAttempts(database, [first]);
    await begin(second);
    expect(await unrecorded()).toEqual(new Set([second.id]));
    await unmarkAttempts(database, [first]);
    expect(await markOf(webhook)).toBe(second.id);
  });
});

it('an attempt of a delivery that was sent again by hand since it was read does not begin', async () => {
  const webhook = await storeWebhook(database, 1);
  const [attempt] = await attempts(webhook);
  for (const again of ["kind = 'MANUAL'", 'tries = 1']) {
    await database.query(statement(`t.again ${again}`, `UPDATE delivery SET ${again} WHERE webhook_id = $1`), [
      webhook.id,
    ]);
    expect(await begin(attempt)).toEqual([]);
    await database.query(resetSql, [webhook.id]);
  }
  expect(await begin(attempt)).toHaveLength(1);
});

it('the secrets of a webhook are those of its organization alone', async () => {
  const [webhook, other] = [await storeWebhook(database, 0), await storeWebhook(database, 0)];
  expect(await readSealedSecrets(database, other.organizationId, webhook.id)).toBeNull();
  const rotated = { secretSealed: Buffer.from([9]), previousSecretSealed: null };
  const of = { organizationId: other.organizationId, webhookId: webhook.id };
  await database.transaction((tx) => storeSecrets(tx, { ...of, ...rotated }));
  expect(await readSealedSecrets(database, webhook.organizationId, webhook.id)).toMatchObject({
    secretSealed: Buffer.alloc(1),
  });
});

describe('a former secret', () => {
  it.each([
    ['signs too until its time is over', '1 minute', Buffer.from([2])],
    ['signs nothing behind that, erased or not', '-1 second', null],
  ])('%s', async (_what, until, previousSecretSealed) => {
    const webhook = await storeWebhook(database, 1);
    await database.query(formerSql, [webhook.id, until]);
    expect(await begin((await attempts(webhook))[0])).toMatchObject([{ previousSecretSealed }]);
    const shown = await readSealedSecrets(database, webhook.organizationId, webhook.id);
    expect(shown).toMatchObject({ previousSecretSealed });
  });
});
