import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outboxTables, pendingTable } from '@switchboard/outbox';
import { partitionFunctions, statement, type Database } from '@switchboard/postgres';
import { testServers, type ServiceDatabase } from '@switchboard/testing';
import pg from 'pg';
import { readAdminConfig } from './admin.config.js';
import { runAdmin } from './admin.js';

const servers = testServers();

class Outbox1764000000000 {
  readonly name = 'Outbox1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(pendingTable);
  }

  async down(): Promise<void> {}
}

let prepared: ServiceDatabase;
let database: Database;
let dataDir: string;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('messaging', [Outbox1764000000000]);
  database = await prepared.superuser();
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-admin-'));
  servers.onEnd(() => rm(dataDir, { recursive: true }));
  await writeFile(join(dataDir, 'dev.json'), JSON.stringify({ databaseUrl: prepared.superuserUrl }));
});
beforeEach(async () => {
  await sql('TRUNCATE messaging.dead_letter, messaging.outbox, messaging.relay_state');
});

const sql = (text: string): Promise<Record<string, unknown>[]> => database.dataSource.query(text);

interface Answer {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
}

async function admin(
  line: string,
  environment: NodeJS.ProcessEnv = { SWITCHBOARD_DATA_DIR: dataDir },
): Promise<Answer> {
  const [out, err]: [string[], string[]] = [[], []];
  const config = readAdminConfig('/nowhere', environment);
  const args = line.split(' ').filter((word) => word !== '');
  const code = await runAdmin(args, {
    config,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    operator: null,
  });
  return { code, out, err };
}

const LETTERS = `INSERT INTO messaging.dead_letter (event_id, consumer, subject, envelope, error, deliveries) VALUES
  ('ce1', 'messaging-callbacks', 's.one.v1', '{"data":"secret text"}', 'Error: first\nsecond line', 8),
  ('ce2', 'relay', 's.two.v1', '{}', 'max_payload', 1), ('ce3', 'absent', 's.three.v1', '{}', 'gone', 8)`;
const marked = async (): Promise<unknown[]> =>
  (await sql('SELECT event_id FROM messaging.dead_letter WHERE redrive_requested_at IS NOT NULL ORDER BY 1')).map(
    ({ event_id }) => event_id,
  );
const left = async (): Promise<unknown[]> =>
  (await sql('SELECT event_id FROM messaging.dead_letter ORDER BY 1')).map(({ event_id }) => event_id);

describe('dead-letters', () => {
  beforeEach(() => sql(LETTERS));

  it('list shows who gave what up and why, never what it says; as a table, or one JSON object a line', async () => {
    const { code, out } = await admin('dead-letters list');
    expect(code).toBe(0);
    expect(out[0]).toMatch(/^SERVICE +CONSUMER +ID +SUBJECT +DELIVERIES +DIEDAT +REDRIVE +ERROR$/);
    expect(out).toHaveLength(4);
    expect(out.find((line) => line.includes('ce1'))).toMatch(
      /messaging-callbacks +ce1 +s\.one\.v1 +8 .*- +Error: first$/,
    );
    expect(out.join()).not.toContain('secret');
    const json = await admin('dead-letters list --consumer relay --json');
    expect(json.out.map((line) => JSON.parse(line))).toMatchObject([
      { service: 'messaging', id: 'ce2', error: 'max_payload' },
    ]);
    expect((await admin('dead-letters list --consumer other')).out).toEqual(['There are no dead letters.']);
  });

  it('show gives one whole', async () => {
    expect((await admin('dead-letters show --id ce1')).out.join('\n')).toContain('secret text');
    expect(await admin('dead-letters show --id ce9')).toMatchObject({ code: 1, err: ['There is no dead letter ce9.'] });
    expect(await admin('dead-letters show')).toMatchObject({ code: 2 });
  });

  it('redrive marks one, or all that were chosen, and names those without a consumer', async () => {
    expect((await admin('dead-letters redrive --id ce1')).out).toEqual([expect.stringMatching(/^1 requested/)]);
    expect(await marked()).toEqual(['ce1']);
    expect((await admin('dead-letters list')).out.find((line) => line.includes('ce1'))).toContain('requested');
    const all = await admin('dead-letters redrive --all --service messaging');
    expect(all.out).toEqual([expect.stringMatching(/^3 requested/), expect.stringContaining('no consumer absent')]);
    expect(await marked()).toEqual(['ce1', 'ce2', 'ce3']);
  });

  it('discard and redrive take what a flood has left in slices, each letter once, and hold none of them', async () => {
    await sql(`INSERT INTO messaging.dead_letter (event_id, consumer, subject, envelope, error, deliveries)
      SELECT 'cf' || n, 'messaging-callbacks', 's', '{}', 'e', 1 FROM generate_series(1, 25000) AS n`);
    // A letter that dies while the command runs is none of those that it was asked for.
    await sql(`UPDATE messaging.dead_letter SET died_at = now() + interval '1 hour' WHERE event_id = 'cf25000'`);
    // As many as a statement may change: more at once are refused.
    await sql(`
      CREATE FUNCTION messaging.refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM changed) > 10000 THEN RAISE EXCEPTION 'too many'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER few_updated AFTER UPDATE ON messaging.dead_letter REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION messaging.refuse_many();
      CREATE TRIGGER few_deleted AFTER DELETE ON messaging.dead_letter REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION messaging.refuse_many()`);
    try {
      const redriven = await admin('dead-letters redrive --all --consumer messaging-callbacks');
      expect(redriven).toMatchObject({ code: 0, out: [expect.stringMatching(/^25000 requested/)] });
      expect(await marked()).toHaveLength(25_000);
      const { out } = await admin('dead-letters discard --all --consumer messaging-callbacks --json');
      expect(new Set(out.map((line) => (JSON.parse(line) as { id: string }).id)).size).toBe(25_000);
      expect(await left()).toEqual(['ce2', 'ce3', 'cf25000']);
    } finally {
      await sql('DROP FUNCTION messaging.refuse_many() CASCADE');
    }
  });

  it('discard throws away what was named, and nothing when it is not said what', async () => {
    expect(await admin('dead-letters discard')).toMatchObject({ code: 2 });
    expect(await admin('dead-letters discard --id ce1 --all')).toMatchObject({ code: 2 });
    const since = await admin('dead-letters discard --all --since 2026-01-31');
    expect(since).toMatchObject({ code: 2, err: [expect.stringContaining('takes no "--since"')] });
    expect(await left()).toHaveLength(3);
    expect((await admin('dead-letters discard --all --consumer absent')).out).toEqual(['1 discarded.']);
    expect(await left()).toEqual(['ce1', 'ce2']);
  });
});

describe('outbox', () => {
  beforeEach(() =>
    sql(`INSERT INTO messaging.relay_state (stream, created, last_sequence, epoch) VALUES ('MESSAGING', 'then', 12, 3);
      INSERT INTO messaging.outbox (id, aggregate_id, subject, payload)
      SELECT messaging.cuid_floor(now() - interval '9000 seconds') || n, 'a', 's', '{}' FROM generate_series(1, 3) AS n`),
  );

  it('status shows what waits, since when, and how far the stream is', async () => {
    const { out } = await admin('outbox status --json');
    expect(out.map((line) => JSON.parse(line))).toEqual([
      {
        service: 'messaging',
        pending: 3,
        oldestAgeSeconds: expect.any(Number),
        deadLetters: 0,
        stream: 'MESSAGING',
        lastSequence: 12,
        losses: 2,
        isReplaying: false,
      },
    ]);
    expect((await admin('outbox status')).out[1]).toMatch(/^messaging +3 +0 +MESSAGING +12 +2 +false +90\d\d$/);
  });

  it('replay asks the relay for all since a moment; of two replays the longer one counts', async () => {
    const asked = async (): Promise<unknown> =>
      (await sql('SELECT replay_from FROM messaging.relay_state'))[0]?.replay_from;
    const at = (iso: string): string => `c${new Date(iso).getTime().toString(36).padStart(8, '0')}`;
    await admin('outbox replay --service messaging --since 2026-01-31T12:00:00Z');
    expect(await asked()).toBe(at('2026-01-31T12:00:00Z'));
    await admin('outbox replay --service messaging --since 2026-01-30');
    await admin('outbox replay --service messaging --since 2026-02-01');
    expect(await asked()).toBe(at('2026-01-30T00:00:00Z'));
  });

  it.each([
    ['outbox replay --since 2026-01-30', 2, 'Whose outbox'],
    ['outbox replay --service messaging', 2, 'Since when'],
    ['outbox replay --service messaging --since yesterday', 2, 'no date'],
    ['outbox replay --service messaging --since 2026-02-30', 2, 'no date'],
    ['outbox replay --service messaging --since 1', 2, 'no date'],
    ['outbox replay --service messaging --since 11/27/2025', 2, 'no date'],
    ['outbox replay --service messaging --since -1', 2, 'no date'],
    ['outbox replay --service messaging --since 2999-01-01', 2, 'future'],
    ['outbox replay --service kitchen --since 2026-01-30', 2, 'no service kitchen'],
    ['outbox replay --service contacts --since 2026-01-30', 1, 'no tables of contacts'],
  ])('refuses «%s» with one clear line', async (line, code, reason) => {
    const answer = await admin(line);
    expect(answer).toEqual({ code, out: [], err: [expect.stringContaining(reason)] });
  });
});

describe('the command line', () => {
  it('helps, and refuses what it does not know', async () => {
    for (const line of ['', 'help', '--help', 'outbox status -h']) {
      expect(await admin(line)).toMatchObject({ code: 0, out: [expect.stringContaining('dead-letters redrive')] });
    }
    expect(await admin('dead-letters destroy')).toMatchObject({
      code: 2,
      err: [expect.stringContaining('no command')],
    });
    expect(await admin('outbox status --loud')).toMatchObject({ code: 2, err: [expect.stringContaining('--loud')] });
  });

  it('finds its database, or says in one line what is missing', async () => {
    const nowhere = { SWITCHBOARD_DATA_DIR: '/nowhere' };
    expect(await admin('outbox status', nowhere)).toMatchObject({
      code: 1,
      err: [expect.stringMatching(/^No database: .*\/nowhere/)],
    });
    const dead = 'postgres://absent@127.0.0.1:1/none';
    expect(await admin('outbox status', { ...nowhere, DATABASE_URL: dead })).toMatchObject({
      code: 1,
      err: [expect.stringMatching(/^The database does not answer: .*ECONNREFUSED/)],
    });
    const elsewhere = { ...nowhere, DATABASE_URL: 'db.internal:5432/switchboard' };
    expect((await admin('outbox status', elsewhere)).err).toEqual(['DATABASE_URL must be a postgres:// URL.']);
    expect((await admin(`outbox status --database-url ${dead}`, elsewhere)).err[0]).toContain('ECONNREFUSED');
    const given = await admin('outbox status --database-url nope', elsewhere);
    expect([given.code, given.err]).toEqual([1, ['--database-url must be a postgres:// URL.']]);
  });
});

describe('--statement-timeout', () => {
  it('ends a statement that takes longer, and says how to allow it more', async () => {
    const locked = await prepared.superuser();
    await locked.transaction(async (tx) => {
      await tx.query(statement('test.lock', 'LOCK TABLE messaging.relay_state'), []);
      const { code, err } = await admin('outbox status --statement-timeout 1');
      expect([code, err]).toEqual([
        1,
        [expect.stringMatching(/statement timeout; --statement-timeout <seconds> allows more\.$/)],
      ]);
    });
  });
});

describe('dispatch set-unknown', () => {
  const DISPATCHES = `
    CREATE TABLE IF NOT EXISTS messaging.dispatch (message_id text, state text, due_at timestamptz, lease text);
    CREATE TABLE IF NOT EXISTS messaging.bulk_lane (job_id text, is_open boolean, is_withdrawn boolean, is_paused boolean);
    TRUNCATE messaging.dispatch, messaging.bulk_lane;
    INSERT INTO messaging.bulk_lane VALUES ('cj1', true, false, false), ('cj2', false, false, false);
    INSERT INTO messaging.dispatch VALUES ('cm1', 'RETRY', now(), 'a.1'), ('cm2', 'DISPATCHING', now(), 'a.2'),
      ('cm3', 'UNKNOWN', now() + interval '1 hour', 'a.3')`;
  const open = (): Promise<Record<string, unknown>[]> =>
    sql(`SELECT message_id AS id, state, lease, round(extract(epoch FROM due_at - now()) / 3600)::int AS hours
      FROM messaging.dispatch ORDER BY 1`);

  it('leaves nothing that would be sent, or that a journal could speak for, and keeps what is UNKNOWN', async () => {
    await sql(DISPATCHES);
    expect((await admin('dispatch set-unknown --all')).out).toEqual([expect.stringMatching(/^2 attempts are UNKNOWN/)]);
    expect(await open()).toEqual([
      { id: 'cm1', state: 'UNKNOWN', lease: 'restored', hours: 24 },
      { id: 'cm2', state: 'UNKNOWN', lease: 'restored', hours: 24 },
      { id: 'cm3', state: 'UNKNOWN', lease: 'a.3', hours: 1 },
    ]);
    const lanes = await sql('SELECT job_id AS id, is_paused AS paused FROM messaging.bulk_lane ORDER BY 1');
    expect(lanes).toEqual([
      { id: 'cj1', paused: true },
      { id: 'cj2', paused: false },
    ]);
    expect((await admin('dispatch set-unknown --all --json')).out).toEqual(['{"attempts":0}']);
  });

  it('changes nothing without --all, nor while messaging is connected', async () => {
    await sql(DISPATCHES);
    expect(await admin('dispatch set-unknown')).toMatchObject({ code: 2 });
    // Where isolation is off messaging connects as another user.
    for (const options of [
      { connectionString: prepared.url },
      { connectionString: prepared.superuserUrl, application_name: 'messaging' },
    ]) {
      const messaging = new pg.Client(options);
      await messaging.connect();
      try {
        const err = [expect.stringContaining('stop it first')];
        expect(await admin('dispatch set-unknown --all')).toEqual({ code: 1, out: [], err });
      } finally {
        await messaging.end();
      }
    }
    expect((await open()).map(({ state }) => state)).toEqual(['RETRY', 'DISPATCHING', 'UNKNOWN']);
  });

  it('changes attempts and lanes together, or neither', async () => {
    await sql(DISPATCHES);
    await sql('ALTER TABLE messaging.bulk_lane ADD CONSTRAINT never CHECK (NOT is_paused)');
    try {
      const err = [expect.stringContaining('"never"')];
      expect(await admin('dispatch set-unknown --all')).toEqual({ code: 1, out: [], err });
    } finally {
      await sql('ALTER TABLE messaging.bulk_lane DROP CONSTRAINT never');
    }
    expect((await open()).map(({ state }) => state)).toEqual(['RETRY', 'DISPATCHING', 'UNKNOWN']);
  });
});
