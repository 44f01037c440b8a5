import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { messagingMigrations } from '../migrations/all.js';
import { announceChannels } from './announce-channels.js';

const HOUR_MS = 3_600_000;
const servers = testServers();
let database: Database;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('messaging', messagingMigrations)).database();
});
afterEach(() => void jest.restoreAllMocks());

const organizationId = newCuid();
const channel = {
  id: newCuid(),
  organizationId,
  name: 'Line',
  phone: '+12015550181',
  status: 'CONNECTED' as const,
  isDefault: true,
  defaultRegion: 'US',
  businessAccountId: '102290129340398',
};

it('names the event of a channel by the clock of the database, as consumers keep the newest, whatever the clock of the process is', async () => {
  const nowMs = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(nowMs + HOUR_MS);
  await database.transaction((tx) => announceChannels(tx, [channel]));
  const [event] = await database.dataSource.query<{ id: string }[]>(
    'SELECT id FROM messaging.outbox WHERE aggregate_id = $1',
    [channel.id],
  );
  expect(Math.abs(cuidTime(event?.id ?? '').getTime() - nowMs)).toBeLessThan(HOUR_MS / 2);
});
