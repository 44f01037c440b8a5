import { beforeEach, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
/** Messages a second at which one look would hand over 240 recipients. */
const FAST = 960;
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

it('a look at a job hands over 8 MB of large recipients, and the next ones the rest, each once', async () => {
  const text = `Hello {{1}}. ${'{{2}} '.repeat(800)}`;
  await store.change('UPDATE templates.template SET components = $1', [JSON.stringify([{ type: 'BODY', text }])]);
  const list = Array.from({ length: 30 }, () => recipient({ variables: ['Ada', 'x'.repeat(1_024)] }));
  const { job } = await store.commit(await store.stage(list));
  store.messaging.perSecond = FAST;
  await store.feed();
  const { items } = store.messaging.lane(job.id);
  expect([...items.values()].map(({ recipientIndex }) => recipientIndex)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await store.feedAll(job.id);
  expect([...items.values()].map(({ recipientIndex }) => recipientIndex)).toEqual(list.map((_, index) => index));
});
