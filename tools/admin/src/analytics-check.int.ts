import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];
let printed: GatewayAdmin['printed'];

beforeAll(async () => {
  ({ sql, admin, printed } = await prepareGatewayAdmin(servers));
  // What of messaging and analytics the command looks at.
  await sql(`
    CREATE SCHEMA messaging;
    CREATE TABLE messaging.relay_state ();
    CREATE TABLE messaging.channel (organization_id text);
    CREATE TABLE messaging.message_floor (kept_from text COLLATE "C");
    CREATE TABLE messaging.message (organization_id text, id text COLLATE "C", channel_id text, conversation_id text,
      direction text, template jsonb, status text, error_code text, sent_at timestamptz, delivered_at timestamptz,
      read_at timestamptz);
    CREATE TABLE messaging.conversation (organization_id text, id text, contact_id text);
    CREATE FUNCTION messaging.cuid_floor(moment timestamptz) RETURNS text LANGUAGE sql AS 'SELECT gateway.cuid_floor(moment)';
    CREATE SCHEMA analytics;
    CREATE TABLE analytics.relay_state ();
    CREATE TABLE analytics.opt_out_fact (organization_id text, channel_id text, contact_id text, created_at timestamptz);
    CREATE TABLE analytics.rollup (organization_id text, report text, grain smallint, bucket timestamptz, channel_id text,
      keys text[], counts bigint[]);
    INSERT INTO messaging.channel VALUES ('cacme000')`);
});

const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const daysAgo = (days: number): Date => new Date(today - days * DAY_MS);

/** A message of a moment, and its counts. */
const received = async (at: Date): Promise<void> => {
  const id = cuidFloor(new Date(at.getTime() + 60_000)) + '0'.repeat(16);
  await sql(`INSERT INTO messaging.message (organization_id, id, channel_id, conversation_id, direction, status)
    VALUES ('cacme000', '${id}', 'cchannel', 'cconv000', 'INBOUND', 'RECEIVED')`);
  await counted(at);
};
const counted = (at: Date): Promise<unknown> =>
  sql(`INSERT INTO analytics.rollup SELECT 'cacme000', 'messages', grain, '${at.toISOString()}', 'cchannel', '{received}', '{1}'
    FROM unnest(ARRAY[15, 60, 1440]) AS grain`);
/** Counts of a day that no message has. */
const manyCounted = (at: Date, count: number): Promise<unknown> =>
  sql(`INSERT INTO analytics.rollup SELECT 'cacme000', 'failures', 1440, '${at.toISOString()}', 'cchannel',
    array_agg(lpad(code::text, 6, '0')), array_agg(1) FROM generate_series(1, ${count}) AS code`);
const keptFrom = (at: Date): Promise<unknown> =>
  sql(`TRUNCATE messaging.message_floor; INSERT INTO messaging.message_floor VALUES ('${cuidFloor(at)}')`);

afterEach(() => void jest.restoreAllMocks());

describe('analytics check', () => {
  beforeEach(async () => {
    await sql('TRUNCATE messaging.message, analytics.rollup');
    await keptFrom(new Date(0));
  });

  it('finds counts of days before the oldest message, where messaging keeps every message of these days', async () => {
    await received(daysAgo(1));
    expect(await admin('analytics', 'check')).toMatchObject({ code: 0 });
    await counted(daysAgo(9));
    const { code, out } = await admin('analytics', 'check', '--json');
    const wrong = out.filter((line) => line.includes(daysAgo(9).toISOString()));
    // Of a quarter of an hour, an hour and a day.
    expect([code, wrong.length]).toEqual([1, 3]);
  });

  it('prints what differs before it has looked at all days, and says how far it is', async () => {
    const now = performance.now();
    let calls = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now + 6_000 * calls++);
    const days = [3, 2].map(daysAgo);
    for (const day of days) await manyCounted(day, 20_000);
    const { code, out, err } = await admin('analytics', 'check', '--json');
    const firstOf = (day: Date | undefined): number =>
      printed.findIndex((line) => line.startsWith('{') && line.includes(day?.toISOString() ?? 'none'));
    const order = ['… 1 of 4 days', '… 2 of 4 days'].map((line) => printed.indexOf(line));
    expect(code).toBe(1);
    expect(out).toHaveLength(2 * 20_000);
    expect(err.at(-1)).toBe('40000 counts in 2 buckets differ from the messages; analytics rebuild counts them anew.');
    expect(order[0]).toBe(0);
    expect(order[1]).toBe(1 + 20_000);
    expect([firstOf(days[0]), firstOf(days[1])]).toEqual([1, 2 + 20_000]);
  });

  it('lists the first differences for people, and counts all', async () => {
    await manyCounted(daysAgo(2), 300);
    const { code, out, err } = await admin('analytics', 'check');
    expect([code, out]).toEqual([1, []]);
    const said = (err.at(-1) ?? '').split('\n');
    expect(said).toHaveLength(1 + 200 + 2);
    expect(said.slice(-2)).toEqual([
      'Only the first 200 are listed.',
      '300 counts in 1 buckets differ from the messages; analytics rebuild counts them anew.',
    ]);
  });

  it('finds counts of an organization that has no message', async () => {
    await counted(daysAgo(3));
    expect(await admin('analytics', 'check')).toMatchObject({ code: 1 });
  });

  it('leaves counts of days alone of which messages were removed', async () => {
    await received(daysAgo(1));
    await counted(daysAgo(9));
    await keptFrom(daysAgo(5));
    expect(await admin('analytics', 'check')).toMatchObject({ code: 0 });
    await keptFrom(new Date(daysAgo(9).getTime() + 1));
    expect(await admin('analytics', 'check')).toMatchObject({ code: 0 });
    await keptFrom(daysAgo(9));
    expect(await admin('analytics', 'check')).toMatchObject({ code: 1 });
  });
});
