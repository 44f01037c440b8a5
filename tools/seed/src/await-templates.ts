import { setTimeout as wait } from 'node:timers/promises';
import {
  synchronisedTemplates,
  type RunSql,
  type SeededAccount,
  type ShownTemplate,
} from '@switchboard/templates/seed';
import pg from 'pg';
import { demonstrationsIn } from './keys-file.js';
import { awaitTemplatesConfig } from './seed.config.js';

/** A run that finds the provider busy is repeated after 15 s, then 30: three of them. */
const DEADLINE_MS = 120_000;
const POLL_MS = 50;

/** Waits until the templates of the demonstration organizations are synchronised, and prints them by organization. */
const { databaseUrl, keysFile } = awaitTemplatesConfig();
const demonstrations = await demonstrationsIn(keysFile);
const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: DEADLINE_MS });
await client.connect();
try {
  const run: RunSql = (sql, values) => client.query(sql, [...values]);
  const deadlineMs = performance.now() + DEADLINE_MS;
  const found: [string, readonly ShownTemplate[]][] = [];
  for (const { id, businessAccountId } of demonstrations) {
    found.push([id, await awaitTemplates(run, { organizationId: id, businessAccountId }, deadlineMs)]);
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(found))}\n`);
} finally {
  await client.end();
}

/** They come by an event, a request to the upstream and a commit, in processes of their own. */
async function awaitTemplates(
  run: RunSql,
  account: SeededAccount,
  deadlineMs: number,
): Promise<readonly ShownTemplate[]> {
  for (;;) {
    const templates = await synchronisedTemplates(run, account);
    if (templates) return templates;
    if (performance.now() > deadlineMs) {
      throw new Error(
        `the templates of organization ${account.organizationId} were not synchronised within ${DEADLINE_MS / 1_000} s`,
      );
    }
    await wait(POLL_MS);
  }
}
