import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../migrations/all.js';
import { readLines, storeLines } from './line.repository.js';

const servers = testServers();

it('the last number of a line never goes back, whatever a reader stores that is about to end', async () => {
  const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
  for (const last of [5, 3, 4]) {
    await database.transaction(async (tx) => storeLines(tx, new Map([['cline', last]])));
    expect(await database.transaction((tx) => readLines(tx, ['cline', 'cother']))).toEqual(new Map([['cline', 5]]));
  }
});
