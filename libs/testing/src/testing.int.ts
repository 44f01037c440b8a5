import { describe, expect, it } from '@jest/globals';
import { partitionFunctions, statement } from '@switchboard/postgres';
import { deadlocksIn, eventually, FakeClock, testServers } from './index.js';

const servers = testServers();

class First1764000000000 {
  readonly name = 'First1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query('CREATE TABLE contacts.thing (id text PRIMARY KEY)');
  }

  async down(): Promise<void> {}
}

describe('the harness', () => {
  it('gives a service a database where its role has data and no DDL, and the superuser has everything', async () => {
    const prepared = await servers.serviceDatabase('contacts', [First1764000000000]);
    const other = await servers.serviceDatabase('contacts', [First1764000000000]);
    const database = await prepared.database();
    await database.query(statement('t.insert', 'INSERT INTO thing (id) VALUES ($1)'), ['a']);
    await expect(database.dataSource.query('CREATE TABLE contacts.own (id text)')).rejects.toThrow('permission denied');
    await expect(database.dataSource.query('TRUNCATE contacts.thing')).rejects.toThrow('permission denied');
    await expect(database.dataSource.query('SELECT * FROM contacts.migration')).rejects.toThrow('permission denied');
    const superuser = await prepared.superuser();
    expect(await superuser.dataSource.query('SELECT id FROM contacts.thing')).toEqual([{ id: 'a' }]);
    const neighbour = await other.database();
    expect(await neighbour.dataSource.query('SELECT id FROM contacts.thing')).toEqual([]);
  });

  it('names the statements of a deadlock', async () => {
    const superuser = await (await servers.serviceDatabase('contacts', [First1764000000000])).superuser();
    await superuser.dataSource.query("INSERT INTO contacts.thing VALUES ('a'), ('b')");
    const clients = [await superuser.connect(), await superuser.connect()];
    const lock = (thing: string): string => `SELECT FROM contacts.thing WHERE id = '${thing}' FOR UPDATE`;
    const ends = await Promise.all(
      clients.map(async (client, index) => {
        await client.query("SET log_error_verbosity = 'default'; SET deadlock_timeout = '10ms'; BEGIN");
        await client.query(lock('ab'[index] ?? ''));
        return client;
      }),
    ).then(async (all) => Promise.allSettled(all.map((client, index) => client.query(lock('ba'[index] ?? '')))));
    for (const client of clients) client.release(true);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [circle = '', ...others] = deadlocksIn(await servers.postgresLog());
    expect(others).toEqual([]);
    for (const thing of ['a', 'b']) expect(circle).toContain(lock(thing));
  });

  it('gives a NATS that knows the users of the topology and no others', async () => {
    const nats = await servers.nats();
    const connection = await nats.connect('contacts');
    expect(connection.isClosed()).toBe(false);
    await expect(nats.connect('stranger')).rejects.toThrow(/authorization/i);
  });

  it('waits for what becomes true, and says so when it does not', async () => {
    let asked = 0;
    expect(await eventually(() => ++asked === 3 && asked)).toBe(3);
    await expect(eventually(() => false, { deadlineMs: 20 })).rejects.toThrow('20 ms');
    const clock = new FakeClock(1_000);
    clock.advance(5);
    expect([clock.now(), clock.monotonic()]).toEqual([1_005, 5]);
  });
});
