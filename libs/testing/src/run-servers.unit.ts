import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunServers, type StartShared } from './run-servers.js';

describe('what the files of a run share', () => {
  let run: RunServers;
  /** In the order in which they happened: `+stack` is a start, `-stack` an end. */
  let seen: string[];

  const start =
    (kind: string): StartShared =>
    async () => {
      seen.push(`+${kind}`);
      return { access: async () => kind, end: async () => void seen.push(`-${kind}`) };
    };
  const ask = async (path: string): Promise<unknown> => (await fetch(`${run.url}/${path}`)).json();

  beforeEach(async () => {
    seen = [];
    run = await RunServers.start({
      ofWorker: { stack: start('stack'), postgres: start('postgres') },
      ofRun: { data: start('data') },
      files: { stack: 2 },
    });
  });

  afterEach(async () => run.end());

  it('is started by the first who asks, each worker its own, and ends with the run', async () => {
    for (const path of ['postgres/1', 'postgres/1', 'postgres/2', 'data/1', 'data/2']) await ask(path);
    expect(seen).toEqual(['+postgres', '+postgres', '+data']);
    await run.end();
    expect(seen.slice(3)).toEqual(['-postgres', '-postgres', '-data']);
  });

  it('stays for a file that has not asked yet, and for one that uses it', async () => {
    for (const path of ['stack/1', 'postgres/1', 'data/1', 'stack/1', 'data/1']) await ask(path);
    expect(seen).toEqual(['+stack', '+postgres', '+data']);
  });

  it('ends once its worker asks for something else and every file has asked, and is started anew for one more', async () => {
    for (const path of ['stack/1', 'postgres/1', 'stack/2']) await ask(path);
    // That of worker 2, which uses it, stays.
    expect(seen).toEqual(['+stack', '+postgres', '+stack', '-stack']);
    await ask('postgres/2');
    expect(seen.slice(4)).toEqual(['+postgres', '-stack']);
    expect(await ask('stack/2')).toBe('stack');
    expect(seen.slice(6)).toEqual(['+stack']);
  });

  it('answers why it could not be started, and ends without it', async () => {
    await run.end();
    run = await RunServers.start({ ofWorker: { stack: () => Promise.reject(new Error('no disk')) }, ofRun: {} });
    const answer = await fetch(`${run.url}/stack/1`);
    expect([answer.status, await answer.text()]).toEqual([500, 'Error: no disk']);
  });
});
