import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { gatewayMigrations } from '../../migrations/all.js';
import { appendOrganizationChanged } from './organization-event.js';
import { listPlans, type OrganizationRow } from './organization.repository.js';

const HOUR_MS = 3_600_000;
const servers = testServers();
let database: Database;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
});
afterEach(() => void jest.restoreAllMocks());

it('names the event of an organization by the clock of the database, as consumers keep the newest, whatever the clock of the process is', async () => {
  const [plan] = await database.query(listPlans, []);
  const organization = { id: newCuid(), plan: plan?.name, subscription: 'ACTIVE', messagesPerMonth: null };
  const nowMs = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(nowMs + HOUR_MS);
  await database.transaction((tx) => appendOrganizationChanged(tx, organization as OrganizationRow));
  const [event] = await database.dataSource.query<{ id: string }[]>(
    'SELECT id FROM gateway.outbox WHERE aggregate_id = $1',
    [organization.id],
  );
  expect(Math.abs(cuidTime(event?.id ?? '').getTime() - nowMs)).toBeLessThan(HOUR_MS / 2);
});
