import { setTimeout as wait } from 'node:timers/promises';
import { messagingMigrations } from '@switchboard/messaging/migrations';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import pg from 'pg';
import { makeDatabase } from '../own-database.js';
import { median } from '../percentile.js';
import { withClient } from '../with-client.js';
import { withStack } from '../with-stack.js';
import { PollTimes, watchPolls, type Poll } from './watch-polls.js';

/** How many events are published behind the snapshot. */
export interface SnapshotBenchOptions {
  readonly events: number;
  readonly onLine: (line: string) => void;
}

/** What a poll costs. */
export interface PollCost {
  /** Median, as the relay waits for it. */
  readonly ms: number;
  /** Pages that it touches, whatever else the machine does. */
  readonly pages: number;
}

/** Polls of the relay. */
export interface SnapshotBenchResult {
  /** Before there is a snapshot, and before the events. */
  readonly without: PollCost;
  readonly behind: PollCost;
  /** The control: a poll that reads from the beginning, as one without a floor does. */
  readonly withoutFloor: PollCost;
}

const POLLS = 100;
const CHUNK = 10_000;
/** Index of the position in the values of a poll at or below which it reads nothing. */
const FLOOR = 3;
const PATIENCE_MS = 20 * 60_000;

/** A relay of messaging's outbox, on a database of its own, next to an open snapshot; its broker takes everything at once. */
export async function benchSnapshot(options: SnapshotBenchOptions): Promise<SnapshotBenchResult> {
  return withStack(options.onLine, async (stack) => {
    const url = await makeDatabase(stack.devJson.databaseUrl, 'behind', { messaging: messagingMigrations });
    return withClient(url, (snapshot) => measure(url, snapshot, options));
  });
}

async function measure(
  url: string,
  snapshot: pg.Client,
  { events, onLine }: SnapshotBenchOptions,
): Promise<SnapshotBenchResult> {
  const given = {
    url,
    schema: 'messaging',
    applicationName: 'bench',
    poolMax: 4,
    entities: [],
    onIdleError: () => undefined,
  };
  const database = await Database.open(given);
  const times = new PollTimes();
  let sequence = 0;
  const relay = new Relay({
    database: watchPolls(database, times),
    service: 'messaging',
    broker: {
      stream: 'MESSAGING',
      isDoubtful: false,
      streamState: async () => ({
        created: 'bench',
        firstSequence: 1,
        lastSequence: sequence,
        firstAt: new Date(0).toISOString(),
      }),
      publish: async () => ({ sequence: ++sequence, duplicate: false }),
    },
    pollIntervalMs: 20,
    report: () => undefined,
  });
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  await writer.query('SET search_path = messaging');
  relay.start();
  try {
    await append(writer, 1_000);
    const without = await pollCost(writer, times);
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await snapshot.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await snapshot.query('SELECT 1');
    onLine(`publishing ${events} events behind an open snapshot`);
    await append(writer, events);
    return { without, behind: await pollCost(writer, times), withoutFloor: await withoutFloor(writer, times) };
  } finally {
    await relay.stop();
    await writer.end();
    await database.close();
  }
}

async function append(writer: pg.Client, count: number): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    await writer.query(
      `INSERT INTO messaging.outbox (id, aggregate_id, subject, payload)
       SELECT messaging.cuid_floor(now()) || lpad(nextval('messaging.outbox_position')::text, 16, '0'), 'c' || n % 1000,
         'messaging.message.sent.v1', '{}' FROM generate_series(1, $1::int) AS n`,
      [Math.min(CHUNK, count - from)],
    );
  }
}

/** Of a relay that has published everything, and whose floor has followed. */
async function pollCost(writer: pg.Client, times: PollTimes): Promise<PollCost> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await writer.query<{ highest: string; isDrained: boolean }>(
      `SELECT max(position) AS highest, NOT EXISTS (SELECT FROM messaging.outbox_pending) AS "isDrained"
       FROM messaging.outbox`,
    );
    const [found] = rows;
    if (found?.isDrained && times.last().values[FLOOR] === Number(found.highest)) break;
    if (performance.now() > endMs) throw new Error('the relay has not published everything in 20 minutes');
    await wait(500);
  }
  const ms = median(await times.next(POLLS));
  return { ms, pages: await pagesOf(writer, times.last()) };
}

/** The last poll once more, from the first position on. */
async function withoutFloor(writer: pg.Client, times: PollTimes): Promise<PollCost> {
  const poll = { ...times.last(), values: times.last().values.with(FLOOR, 0) };
  const found: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begunMs = performance.now();
    await writer.query({ name: 'without-floor', ...poll, values: [...poll.values] });
    found.push(performance.now() - begunMs);
  }
  return { ms: median(found), pages: await pagesOf(writer, poll) };
}

async function pagesOf(writer: pg.Client, { text, values }: Poll): Promise<number> {
  const { rows } = await writer.query<{ 'QUERY PLAN': readonly { readonly Plan: Record<string, number> }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    [...values],
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

/** Rows of the table. */
export function linesOfSnapshot({ without, behind, withoutFloor: control }: SnapshotBenchResult): string[] {
  const line = (what: string, { ms, pages }: PollCost): string =>
    `| ${what} | ${ms.toFixed(2)} | ${(ms / without.ms).toFixed(2)} | ${pages} | ${(pages / without.pages).toFixed(2)} |`;
  return [
    line('without a snapshot', without),
    line('behind it', behind),
    line('behind it, without the floor', control),
  ];
}
