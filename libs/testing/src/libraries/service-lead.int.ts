import { beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceLead, type ServiceLeadOptions } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
/** Long for a statement, and short for a test. */
const SILENT_MAX_MS = 500;
/** Longer than any test may take: no lead is lost because a busy machine holds its process up. */
const NEVER_SILENT_MS = 2 ** 30;
/** Sessions that have asked for the lead and were refused. */
const refusedSql = statement<{ sessions: number }>(
  't.lead-refused',
  `SELECT count(*)::int AS sessions FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.state = 'idle' AND a.query LIKE '%pg_try_advisory_lock%'
     AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted)`,
);
const heldSql = statement<{ heldMs: number }>(
  't.lead-held',
  `SELECT (extract(epoch FROM clock_timestamp() - a.backend_start) * 1000)::float8 AS "heldMs"
   FROM pg_locks l JOIN pg_stat_activity a USING (pid)
   WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()`,
);

describe('the lead of a service', () => {
  let database: Database;
  beforeAll(async () => {
    database = await (await servers.serviceDatabase('contacts', [Outbox1764000000000])).database();
  });

  /** A replica that seeks the lead; `leads` has the signal of each time that it leads. */
  function replica(name: string, options: Partial<ServiceLeadOptions> = {}) {
    const leads: AbortSignal[] = [];
    const work = async (over: AbortSignal): Promise<void> => {
      leads.push(over);
      if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    };
    const lead = new ServiceLead({ database, name, work, onError: () => undefined, ...options });
    lead.start();
    servers.onEnd(() => lead.stop());
    return { leads, stop: () => lead.stop() };
  }

  it('is held by one at a time, and had by the next when it ends', async () => {
    const first = replica('one', { silentMaxMs: NEVER_SILENT_MS });
    await eventually(() => first.leads.length === 1);
    const second = replica('one', { silentMaxMs: NEVER_SILENT_MS });
    await eventually(async () => (await database.query(refusedSql, []))[0]?.sessions === 1);
    expect(second.leads).toEqual([]);
    await first.stop();
    expect(await eventually(() => second.leads.length === 1)).toBe(true);
    expect(second.leads[0]?.aborted).toBe(false);
    await second.stop();
  });

  it('is kept while it asks nothing', async () => {
    // Long enough for a process that waits its turn on a busy machine.
    const silentMaxMs = 10 * SILENT_MAX_MS;
    const idle = replica('idle', { silentMaxMs });
    await eventually(() => idle.leads.length === 1);
    await eventually(async () => ((await database.query(heldSql, []))[0]?.heldMs ?? 0) > 2 * silentMaxMs);
    expect(idle.leads.map(({ aborted }) => aborted)).toEqual([false]);
    await idle.stop();
  });

  it('is lost when its process stands still, and had again when it goes on', async () => {
    const still = replica('still', { silentMaxMs: SILENT_MAX_MS });
    await eventually(() => still.leads.length === 1);
    // The whole process, as SIGSTOP would have it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * SILENT_MAX_MS);
    expect(await eventually(() => still.leads.length > 1 && still.leads.at(-1)?.aborted === false)).toBe(true);
    expect(still.leads[0]?.aborted).toBe(true);
    await still.stop();
  });
});
