import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import { identifyProcess } from '@switchboard/embedded-servers';
import { serviceRoles } from '@switchboard/postgres/service-roles';
import { eventually } from '@switchboard/testing/eventually';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataFolder } from './data-folder.js';
import { readDevConfig } from './dev.config.js';
import { type RunningStack, type StackOptions, startStack } from './index.js';

let folder: string;
let dataDir: string;
let stack: RunningStack;
/** Of the processes as they were started, by name. */
const environments = new Map<string, Readonly<Record<string, string>>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-stack-'));
  dataDir = join(folder, 'data');
  const environmentOf: StackOptions['environmentOf'] = (name, usual) => {
    environments.set(name, usual);
    return usual;
  };
  stack = await startStack({ dataDir, port: 0, quiet: true, environmentOf });
});

afterAll(async () => {
  await stack.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** On a machine that has nothing else to do, 10 s are promised. */
const STOPPED_WITHIN_MS = 30_000;

const sessionsOfOthers = `
  select distinct application_name as name, usename as role from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() order by 1`;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function readDevFile(): Promise<unknown> {
  return JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'));
}

describe('a started stack', () => {
  it('writes dev.json, which names every process as it is and which only its owner reads', async () => {
    expect(await readDevFile()).toEqual(JSON.parse(JSON.stringify(stack.devJson)));
    for (const { pid } of stack.devJson.processes) expect(await identifyProcess(pid)).toBeDefined();
    for (const file of ['dev.json', 'secrets.json', 'postgres.password']) {
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    }
  });

  it('has every service ready at the address of dev.json', async () => {
    const services = stack.devJson.processes.filter(({ health }) => health !== undefined);
    expect(services.map(({ name }) => name)).toEqual(expect.arrayContaining([...serviceNames]));
    for (const { health } of services) expect((await fetch(health ?? '')).status).toBe(200);
  });

  it('lets no webhook lead to a port of its own, those of the simulator included', async () => {
    const refused = environments.get('webhooks')?.['WEBHOOKS_REFUSED_HOSTS']?.split(',');
    const log = await readFile(join(dataDir, 'logs', 'simulator.log'), 'utf8');
    const { url, providerUrl, tlsUrl } = JSON.parse(
      log.split('\n').find((line) => line.includes('tlsUrl')) ?? '{}',
    ) as {
      readonly [name: string]: string;
    };
    const own = [stack.devJson.baseUrl, url, providerUrl, tlsUrl].map((each = '') => `localhost:${new URL(each).port}`);
    expect(refused).toEqual(expect.arrayContaining(own));
  });

  it('refuses a second start on its folder in one line, and is not disturbed by it', async () => {
    await expect(startStack({ dataDir, quiet: true })).rejects.toThrow(/^Switchboard runs already on .*pid \d+/);
    expect(await query(stack.devJson.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await readDevFile()).toBeDefined();
  });

  it('starts a killed process again at its old address, with its data, and dev.json names the new process', async () => {
    await query(stack.devJson.databaseUrl, 'create table public.kept as select 1 as n');
    for (const name of stack.devJson.processes.map((process) => process.name)) {
      const { pid, url } = stack.process(name);
      await stack.process(name).kill('SIGKILL');
      await stack.process(name).restarted();
      expect(stack.process(name).pid).not.toBe(pid);
      if (['gateway', 'simulator', 'postgres', 'nats'].includes(name)) expect(stack.process(name).url).toBe(url);
      expect(await readDevFile()).toMatchObject({
        processes: expect.arrayContaining([expect.objectContaining({ name, pid: stack.process(name).pid })]),
      });
    }
    expect(await query(stack.devJson.databaseUrl, 'select n from public.kept')).toEqual([{ n: 1 }]);
    for (const { name, metrics } of stack.devJson.processes.filter(({ health }) => health !== undefined)) {
      expect([name, (await fetch(metrics ?? '')).status]).toEqual([name, 200]);
    }
  });

  it('gives every service a database role that has no way into another schema and no DDL', async () => {
    const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    const url = new URL(stack.devJson.databaseUrl);
    url.username = 'switchboard_gateway';
    url.password = secrets['switchboard_gateway'] ?? '';
    await expect(query(url.href, 'select * from messaging.message')).rejects.toThrow('permission denied for schema');
    await expect(query(url.href, 'create table gateway.x (n int)')).rejects.toThrow('permission denied for schema');
    await expect(query(url.href, 'create temporary table x (n int)')).rejects.toThrow('permission denied to create');
  });

  it('has every service at work as its own role of the database', async () => {
    const sessions = await eventually(async () => {
      const found = await query(stack.devJson.databaseUrl, sessionsOfOthers);
      // After the kills above each connects again in its own time.
      return found.length >= serviceNames.length && found;
    });
    const own = serviceNames.map((name) => ({ name, role: serviceRoles(name).runtime }));
    expect(sessions).toEqual(own.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('says in one line that the port is taken, and leaves nothing behind', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const address = occupant.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const second = join(folder, 'second');
    try {
      await expect(startStack({ dataDir: second, port, quiet: true })).rejects.toThrow(`Port ${port} is taken`);
      await expect(stat(join(second, 'supervisor.lock'))).rejects.toThrow('ENOENT');
    } finally {
      occupant.close();
    }
  });

  it('ends every process in time and takes its run files away, and begins with empty data with --reset', async () => {
    const { simulatorUrl } = stack.devJson;
    const pids = stack.devJson.processes.map(({ pid }) => pid);
    const begun = performance.now();
    await stack.stop();
    expect(performance.now() - begun).toBeLessThan(STOPPED_WITHIN_MS);
    for (const pid of pids) expect(await identifyProcess(pid)).toBeUndefined();
    for (const file of ['dev.json', 'run.json', 'supervisor.lock']) {
      await expect(stat(join(dataDir, file))).rejects.toThrow('ENOENT');
    }
    const { simulator } = readDevConfig(folder, [], {});
    stack = await startStack({ dataDir, simulator, quiet: true, reset: true });
    const rows = await query(stack.devJson.databaseUrl, `select to_regclass('public.kept') is null as gone`);
    expect(rows).toEqual([{ gone: true }]);
    // What a start of a user has: the simulator at its former address, whose recipients read.
    expect(stack.devJson.simulatorUrl).toBe(simulatorUrl);
    const knobs = await (await fetch(`${simulatorUrl}/_sim/knobs`)).json();
    expect(knobs).toMatchObject({ callbackDelayMs: { read: 2_000 } });
  });
});

describe('a start that is interrupted before its data folder is its own', () => {
  it('begins nothing, and gives the folder back', async () => {
    const lines: string[] = [];
    const path = join(folder, 'interrupted');
    const start = startStack({ dataDir: path, signal: AbortSignal.abort(), onLine: (line) => lines.push(line) });
    const begun = await start.then(
      (started) => started.destroy(),
      () => undefined,
    );
    expect([begun, lines]).toEqual([undefined, []]);
    expect(await new DataFolder(path).findOwner()).toBeUndefined();
  });
});
