import { beforeAll, describe, expect, it } from '@jest/globals';
import { holdLead, type LeadSpec } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
/** Long for a statement, and short for a test. */
const SILENT_MAX_MS = 500;

describe('the lead of a service', () => {
  let database: Database;
  beforeAll(async () => {
    database = await (await servers.serviceDatabase('contacts', [Outbox1764000000000])).database();
  });

  /** Holds the lead until `end`; `over` aborts when it is lost. */
  function lead(name: string, options: Partial<LeadSpec> = {}) {
    const stopping = new AbortController();
    const begun = Promise.withResolvers<AbortSignal>();
    const work = async (_through: unknown, over: AbortSignal): Promise<void> => {
      begun.resolve(over);
      if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    };
    const ended = holdLead({ database, name, stopping: stopping.signal, work, ...options });
    servers.onEnd(async () => (stopping.abort(), ended));
    const end = async (): Promise<void> => (stopping.abort(), ended);
    return { begun: begun.promise, ended, end };
  }

  it('is held by one at a time, and had by the next when it ends', async () => {
    const first = lead('one');
    await first.begun;
    const second = lead('one');
    const early = await Promise.race([second.begun, new Promise((resolve) => setTimeout(resolve, 100, 'waits'))]);
    expect(early).toBe('waits');
    await first.end();
    expect((await second.begun).aborted).toBe(false);
    await second.end();
  });

  it('is kept while it asks nothing, and lost when its process stands still', async () => {
    const still = lead('still', { silentMaxMs: SILENT_MAX_MS });
    const over = await still.begun;
    await new Promise((resolve) => setTimeout(resolve, 3 * SILENT_MAX_MS));
    expect(over.aborted).toBe(false);
    // The whole process, as SIGSTOP would have it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * SILENT_MAX_MS);
    await still.ended;
    expect(over.aborted).toBe(true);
    const next = lead('still');
    await next.begun;
    await next.end();
  });
});
