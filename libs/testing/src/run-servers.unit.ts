import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunServers } from './run-servers.js';
import type { StartShared } from './start-shared.js';

describe('what the files of a run share', () => {
  let run: RunServers;
  /** In the order in which they happened: `+stack 1` is the start of the first stack, `-stack 1` its end. */
  let seen: string[];

  const start = (kind: string): StartShared => {
    let starts = 0;
    return async () => {
      const name = `${kind} ${++starts}`;
      seen.push(`+${name}`);
      return { access: async () => name, end: async () => void seen.push(`-${name}`) };
    };
  };
  const ask = async (path: string): Promise<unknown> => (await fetch(`${run.url}/${path}`)).json();
  const begin = async (files?: number): Promise<void> => {
    seen = [];
    run = await RunServers.start({
      ofWorker: { postgres: start('postgres') },
      ofRun: { data: start('data') },
      lent: { stack: { start: start('stack'), files } },
    });
  };

  beforeEach(async () => begin(3));

  afterEach(async () => run.end());

  it('is started by the first who asks, each worker its own, and ends with the run', async () => {
    for (const path of ['postgres/1/a', 'postgres/1/b', 'postgres/2/c', 'data/1/b', 'data/2/c']) await ask(path);
    expect(seen).toEqual(['+postgres 1', '+postgres 2', '+data 1']);
    await run.end();
    expect(seen.slice(3).sort()).toEqual(['-data 1', '-postgres 1', '-postgres 2']);
  });

  it('is lent to one file at a time, and to the next of any worker once its own worker runs another file', async () => {
    expect(await ask('stack/1/a')).toBe('stack 1');
    expect(await ask('stack/1/a')).toBe('stack 1');
    expect(await ask('stack/2/b')).toBe('stack 2');
    await ask('postgres/1/c');
    expect(await ask('stack/3/d')).toBe('stack 1');
    expect(seen).toEqual(['+stack 1', '+stack 2', '+postgres 1']);
  });

  it('ends once no file can need it, and is started anew for one more', async () => {
    for (const path of ['stack/1/a', 'stack/2/b', 'postgres/1/c', 'postgres/2/d']) await ask(path);
    // One file has not asked: one of the two is enough.
    expect(seen.slice(2)).toEqual(['+postgres 1', '+postgres 2', '-stack 1']);
    expect(await ask('stack/2/e')).toBe('stack 2');
    await ask('postgres/2/f');
    expect(seen.slice(5)).toEqual(['-stack 2']);
    expect(await ask('stack/2/g')).toBe('stack 3');
  });

  it('stays until the end where nothing says how many files there are', async () => {
    await run.end();
    await begin();
    for (const path of ['stack/1/a', 'stack/2/b', 'postgres/1/c', 'postgres/2/d']) await ask(path);
    expect(seen).toEqual(['+stack 1', '+stack 2', '+postgres 1', '+postgres 2']);
  });

  it('stays with its file while something else is started of what is shared, by whichever process', async () => {
    for (const path of ['stack/1/a', 'data/1/main', 'stack/2/b']) await ask(path);
    expect(seen).toEqual(['+stack 1', '+data 1', '+stack 2']);
  });

  it('answers why it could not be started, tries again for the next, and ends without it', async () => {
    await run.end();
    let starts = 0;
    const fails = (): Promise<never> => Promise.reject(new Error(`no disk ${++starts}`));
    run = await RunServers.start({ ofWorker: {}, ofRun: {}, lent: { stack: { start: fails } } });
    for (const said of ['Error: no disk 1', 'Error: no disk 2']) {
      const answer = await fetch(`${run.url}/stack/1/a`);
      expect([answer.status, await answer.text()]).toEqual([500, said]);
    }
  });
});
