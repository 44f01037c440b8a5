import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { endPostgresOf, identifyProcess, isRunning, removePostgresData, startPostgres } from './index.js';
import { readEmbeddedServersConfig } from './embedded-servers.config.js';
import { isRoot } from './unprivileged-user.js';

const folder = await mkdtemp(join(tmpdir(), 'switchboard-postgres-'));

afterAll(async () => {
  for (const name of ['one', 'two', 'three', 'orphan', 'silent']) {
    await endPostgresOf(join(folder, name));
    await removePostgresData(join(folder, name));
  }
  await rm(folder, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('embedded PostgreSQL', () => {
  it('says of a server that ended how it did, also where its log could not be written', async () => {
    // The disk of the log is full.
    const options = { dataDir: join(folder, 'silent'), log: '/dev/full', extraSettings: { max_connections: 'none' } };
    await expect(startPostgres(options)).rejects.toThrow(
      'PostgreSQL did not start: exit code 1, and nothing in its log (log: /dev/full)',
    );
  });

  it('runs side by side, keeps committed rows over SIGKILL and its port over restarts, and ends without a trace', async () => {
    const [one, two] = await Promise.all([
      startPostgres({ dataDir: join(folder, 'one') }),
      startPostgres({ dataDir: join(folder, 'two'), extraSettings: { max_connections: '20' } }),
    ]);
    try {
      expect(one.port).not.toBe(two.port);
      // While a server is started again, an outgoing connection may get any of these, and keep it.
      const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
      expect(one.port).toBeLessThan(Number.parseInt(range, 10));
      expect(await query(two.url, 'show max_connections')).toEqual([{ max_connections: '20' }]);
      await query(one.url, 'create table kept (n int)');
      await query(one.url, 'insert into kept values (1), (2)');

      const killed = one.pid;
      await one.restart('kill');
      expect(one.pid).not.toBe(killed);
      expect(await query(one.url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
      await one.restart('immediate');
      expect(await query(one.url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
    expect(await identifyProcess(one.pid)).toBeUndefined();
    expect(await identifyProcess(two.pid)).toBeUndefined();

    const again = await startPostgres({ dataDir: join(folder, 'one') });
    try {
      expect(await query(again.url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
    } finally {
      await again.stop();
    }
  });

  it('takes the place of a server that is being made for no abandoned one', async () => {
    const place = join(isRoot() ? readEmbeddedServersConfig().postgresStateDir : folder, `test-${randomUUID()}`);
    // As root, servers lie below this folder, each with its origin, which is written last.
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'origin'), '');
    try {
      const server = await startPostgres({ dataDir: join(folder, 'three') });
      await server.stop();
      expect((await stat(place)).isDirectory()).toBe(true);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });

  it('never answers without the password, keeps it from other accounts, and never trades durability for speed', async () => {
    const server = await startPostgres({ dataDir: join(folder, 'one') });
    try {
      const wrong = server.url.replace(server.password, 'wrong');
      await expect(query(wrong, 'select 1')).rejects.toThrow('password authentication failed');
      expect((await stat(join(folder, 'one.password'))).mode & 0o777).toBe(0o600);
      const rows = await query(
        server.url,
        `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`,
      );
      expect(rows.map((row) => row['setting'])).toEqual(['on', 'on', 'on']);
    } finally {
      await server.stop();
    }
  });

  it('is reached by its URL where the environment asks for certificates of other servers', async () => {
    const server = await startPostgres({ dataDir: join(folder, 'one') });
    const program = `const { Client } = require('pg');
      const client = new Client({ connectionString: process.argv[1] });
      client.connect().then(() => client.end());`;
    try {
      const from = { cwd: import.meta.dirname, env: { PGSSLMODE: 'verify-full' } };
      await promisify(execFile)(process.execPath, ['-e', program, server.url], from);
    } finally {
      await server.stop();
    }
  });

  it('starts despite a stale postmaster.pid whose pid belongs to another program, and leaves that program alone', async () => {
    const dataDir = join(folder, 'one');
    const first = await startPostgres({ dataDir });
    const [{ data_directory: real } = { data_directory: '' }] = await query(first.url, 'show data_directory');
    const file = join(String(real), 'postmaster.pid');
    const stale = (await readFile(file, 'utf8')).replace(/^\d+/, String(process.pid));
    await first.kill();
    await writeFile(file, stale);
    const second = await startPostgres({ dataDir });
    await second.stop();
    expect(await identifyProcess(process.pid)).toBeDefined();
  });

  it('ends the server that a killed parent left on the folder, both on request and at the next start', async () => {
    const dataDir = join(folder, 'orphan');
    const left = await startPostgres({ dataDir });
    const leftIdentity = await identifyProcess(left.pid);
    const next = await startPostgres({ dataDir });
    const nextIdentity = await identifyProcess(next.pid);
    if (leftIdentity === undefined || nextIdentity === undefined) throw new Error('not started');
    expect(await isRunning(leftIdentity)).toBe(false);
    expect(await endPostgresOf(dataDir)).toBe(true);
    expect(await isRunning(nextIdentity)).toBe(false);
    expect(await endPostgresOf(dataDir)).toBe(false);
  });

  it('says in one line that a port is taken', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const address = occupant.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await expect(startPostgres({ dataDir: join(folder, 'one'), port })).rejects.toThrow(`Port ${port} is taken`);
    } finally {
      occupant.close();
    }
  });
});
