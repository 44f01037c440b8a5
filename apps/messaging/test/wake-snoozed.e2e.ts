import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { changeConversationRpc } from '@switchboard/contracts/messaging/rpc';
import type { RpcClient } from '@switchboard/nats';
import { eventually, testServers, type TestNats } from '@switchboard/testing';
import { PatientRpcClient } from '@switchboard/testing/patient-rpc-client';
import type { Channel } from '../src/channel/channel.entity.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const program = join(import.meta.dirname, '..', 'dist', 'main.js');
const KEY = Buffer.alloc(32, 7).toString('base64');

/** Snoozes that end at the same moment, such as a Monday's 09:00. The chaos fault `snooze-rush` measures how late they end. */
const MANY = 5_000;

/** A replica of the built service. */
interface Replica {
  /** As a power cut would end it. */
  kill(): Promise<void>;
}

/** The event of the end of a snooze. */
interface Woken {
  readonly id: string;
  readonly at: Date;
}

describe('the end of a snooze, with real processes', () => {
  let inbox: TestInbox;
  let nats: TestNats;
  let channel: Channel;
  let client: RpcClient;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    nats = await servers.nats();
    client = new PatientRpcClient(await nats.connect('gateway'));
    channel = await inbox.addChannel();
  });

  async function start(): Promise<Replica> {
    const access = { NATS_URL: nats.url, NATS_USER: 'messaging', NATS_PASSWORD: nats.password, CREDENTIALS_KEY: KEY };
    const child: ChildProcess = spawn(process.execPath, [program], {
      env: { DATABASE_URL: inbox.prepared.url, CLOUD_BASE_URL: 'http://127.0.0.1:1', ...access },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    };
    servers.onEnd(kill);
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const ready = Promise.withResolvers<void>();
    lines.on('line', (text) => {
      const line = JSON.parse(text) as { readonly event: string };
      if (line.event === 'service.ready') ready.resolve();
    });
    void ended.then(() => ready.reject(new Error('it ended before it was ready')));
    ready.promise.catch(() => undefined);
    await ready.promise;
    return { kill };
  }

  /** New conversations, snoozed all at once until so many milliseconds from now. */
  async function snooze(count: number, forMs: number): Promise<{ readonly ids: string[]; readonly until: Date }> {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push(await inbox.touch(channel, (await inbox.addContact()).id));
    const until = new Date(Date.now() + forMs);
    const change = { status: 'SNOOZED', snoozedUntil: until.toISOString() } as const;
    await Promise.all(ids.map((id) => client.call(changeConversationRpc, inbox.principal, { id, ...change })));
    return { ids, until };
  }

  /** Conversations as no caller could snooze them: so many, all until this moment. */
  async function addSnoozed(count: number): Promise<void> {
    const series = newCuid();
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.contact SELECT $1, $3 || n, $3 || n, n, NULL, 1 FROM generate_series(1, $2::int) AS n`,
      [inbox.organizationId, count, series],
    );
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
         event_sequence, snoozed_until)
       SELECT $1, $3 || n, $4, $3 || n, 'SNOOZED', $3 || n, now(), 1, now() FROM generate_series(1, $2::int) AS n`,
      [inbox.organizationId, count, series, channel.id],
    );
  }

  /** How many are in a status. */
  async function countIn(status: string): Promise<number> {
    const sql = 'SELECT count(*)::int AS n FROM conversation WHERE organization_id = $1 AND status = $2';
    const [row] = await inbox.database.dataSource.query(sql, [inbox.organizationId, status]);
    return row.n;
  }

  /** Every event of an opening since a moment, in order. */
  async function openingsSince(since: Date): Promise<Woken[]> {
    const rows: { id: string; at: string }[] = await inbox.superuser.dataSource.query(
      `SELECT aggregate_id AS id, payload::json->>'occurredAt' AS at FROM messaging.outbox
       WHERE subject = 'messaging.conversation.opened.v1' AND id > messaging.cuid_floor($1) ORDER BY position`,
      [since],
    );
    return rows.map(({ id, at }) => ({ id, at: new Date(at) }));
  }

  it('comes at its time, not before, and emits one event, with two replicas', async () => {
    const replicas = await Promise.all([start(), start()]);
    const since = new Date();
    const { ids, until } = await snooze(20, 15_000);
    expect(await countIn('SNOOZED')).toBe(ids.length);
    await eventually(async () => (await countIn('OPEN')) === ids.length);
    const woken = await openingsSince(since);
    expect(woken.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const { at } of woken) expect(at.getTime() - until.getTime()).toBeGreaterThanOrEqual(0);
    await Promise.all(replicas.map((replica) => replica.kill()));
  });

  it('that was reached while every process was down comes with the first one that is back', async () => {
    const before = await start();
    const since = new Date();
    const { ids, until } = await snooze(5, 15_000);
    await before.kill();
    expect(Date.now()).toBeLessThan(until.getTime());
    await eventually(() => Date.now() > until.getTime() + 100);
    expect([await countIn('SNOOZED'), await openingsSince(since)]).toEqual([ids.length, []]);

    const back = await start();
    await eventually(async () => (await countIn('SNOOZED')) === 0);
    const woken = await openingsSince(since);
    expect(woken.map(({ id }) => id).sort()).toEqual([...ids].sort());
    await back.kill();
  });

  it('comes once for each of thousands at the same moment, when a replica is killed in the middle of them', async () => {
    const since = new Date();
    await addSnoozed(MANY);
    const [first, second] = await Promise.all([start(), start()]);
    await eventually(async () => (await countIn('SNOOZED')) < MANY);
    await first.kill();
    await eventually(async () => (await countIn('SNOOZED')) === 0);
    const woken = await openingsSince(since);
    expect(new Set(woken.map(({ id }) => id)).size).toBe(MANY);
    expect(woken).toHaveLength(MANY);
    await second.kill();
  });
});
