import { seedOrganizations, type RunSql } from '@switchboard/gateway/seed';
import { seedChannels } from '@switchboard/messaging/seed';
import { resetSynchronisation } from '@switchboard/templates/seed';
import pg from 'pg';
import type { Demonstration } from './demonstration.js';
import { demonstrationsIn } from './keys-file.js';
import { seedConfig } from './seed.config.js';

const DEADLINE_MS = 10_000;

/** Makes the demonstration organizations in every service's schema and at the simulator, and prints them. */
const config = seedConfig();
const demonstrations = await demonstrationsIn(config.keysFile, config.moreOrganizations);
const client = new pg.Client({ connectionString: config.databaseUrl, connectionTimeoutMillis: DEADLINE_MS });
await client.connect();
try {
  const run: RunSql = (sql, values) => client.query(sql, [...values]);
  await seedOrganizations(run, demonstrations);
  await seedChannels(run, demonstrations.flatMap(channelsOf), config.credentialsKey);
  await resetSynchronisation(
    run,
    demonstrations.map(({ id, businessAccountId }) => ({ organizationId: id, businessAccountId })),
  );
} finally {
  await client.end();
}
if (config.simulatorUrl) await seedSimulator(config.simulatorUrl, demonstrations);
process.stdout.write(`${JSON.stringify(demonstrations.map(shown))}\n`);

function channelsOf(demonstration: Demonstration): Parameters<typeof seedChannels>[1] {
  const { id: organizationId, businessAccountId, accessToken } = demonstration;
  return demonstration.channels.map((channel) => ({
    ...channel,
    organizationId,
    businessAccountId,
    accessToken,
    defaultRegion: 'US',
  }));
}

async function seedSimulator(url: string, all: readonly Demonstration[]): Promise<void> {
  const items = all.map(({ accessToken, businessAccountId, channels }) => ({
    token: accessToken,
    wabaId: businessAccountId,
    phoneNumbers: channels.map(({ phoneNumberId, phone, name }) => ({
      id: phoneNumberId,
      displayPhone: phone.slice(1),
      name,
    })),
  }));
  const answer = await fetch(`${url}/_sim/accounts`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (!answer.ok) throw new Error(`the simulator refused its accounts: ${answer.status} ${await answer.text()}`);
}

/** What `dev.json` says of an organization. */
function shown({ id, name, plan, apiKey, users, channels }: Demonstration): unknown {
  const shownUsers = users.map(({ role, email, password }) => ({ role, email, password }));
  const shownChannels = channels.map(({ id: channelId, phone, isDefault }) => ({ id: channelId, phone, isDefault }));
  return { id, name, plan, apiKey, users: shownUsers, channels: shownChannels };
}
