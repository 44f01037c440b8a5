import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually } from '@switchboard/testing/eventually';
import { EMPTY_TALLY } from '../audit/audit.js';
import type { Fault } from '../fault/fault.js';
import { ReportBook } from '../fault/report-book.js';
import type { Stage } from '../stage/stage.js';

/** Snoozes that end at the same moment, such as a Monday's 09:00, and how late the last of them may end; a point each. */
const RUSHES = [
  { count: 20, lateMsMax: 1_000 },
  { count: 1_000, lateMsMax: 1_000 },
  { count: 5_000, lateMsMax: 5_000 },
] as const;
const AHEAD_MS = 3_000;
const DEADLINE_MS = 60_000;

/** Nothing is killed: many snoozes end at once. A test of messaging kills a replica in the middle of such a rush. */
export const snoozeRush: Fault = {
  name: 'snooze-rush',
  promise: 'snoozes that end at one moment: 20 or 1,000 are over within 1 s, 5,000 within 5 s, one event each',
  points: { full: RUSHES.length, short: 1 },
  async run(context, { points }) {
    const stage = await context.fresh({ replicas: { messaging: 2 } });
    const book = new ReportBook();
    const notes: string[] = [];
    for (let point = 0; point < points; point++) {
      const { count, lateMsMax } = RUSHES[point % RUSHES.length] ?? RUSHES[0];
      const { lateMs, events } = await rush(stage, count);
      const note = `${count} over after ${lateMs} ms, ${events} events`;
      if (lateMs > lateMsMax) book.find({ rule: 'send.slow', detail: note });
      if (events !== count) book.find({ rule: events > count ? 'event.doubled' : 'event.missing', detail: note });
      // Rows that no caller made have no events before: the ledgers have nothing to compare.
      book.add({ tally: { ...EMPTY_TALLY, events }, findings: [] });
      notes.push(note);
      context.say(note);
    }
    return book.report(notes.join('; '));
  },
};

/** Makes conversations as no caller could snooze them, all until the same moment, and waits for the end. */
async function rush({ database, senders }: Stage, count: number): Promise<{ lateMs: number; events: number }> {
  const [organizationId, series] = [senders[0]?.organizationId, newCuid()];
  await database.query(
    `INSERT INTO messaging.contact SELECT $1, $3 || n, $3 || n, n, NULL, 1 FROM generate_series(1, $2::int) AS n`,
    [organizationId, count, series],
  );
  const [made] = await database.query<{ until: Date }>(
    `WITH made AS (
       INSERT INTO messaging.conversation (organization_id, id, channel_id, contact_id, status, position, last_message_at,
         event_sequence, snoozed_until)
       SELECT $1, $3 || n, (SELECT id FROM messaging.channel WHERE organization_id = $1 LIMIT 1), $3 || n, 'SNOOZED',
         $3 || n, now(), 1, now() + $4 * interval '1 ms'
       FROM generate_series(1, $2::int) AS n RETURNING snoozed_until)
     SELECT max(snoozed_until) AS until FROM made`,
    [organizationId, count, series, AHEAD_MS],
  );
  const lateMs = await eventually(
    async () => {
      const [row] = await database.query<{ snoozed: number }>(
        `SELECT count(*)::int AS snoozed FROM messaging.conversation WHERE starts_with(id, $1) AND status = 'SNOOZED'`,
        [series],
      );
      return row?.snoozed === 0 && Date.now() - Number(made?.until);
    },
    { deadlineMs: DEADLINE_MS },
  );
  const [emitted] = await database.query<{ events: number }>(
    `SELECT count(*)::int AS events FROM messaging.outbox
     WHERE subject = 'messaging.conversation.opened.v1' AND starts_with(aggregate_id, $1)`,
    [series],
  );
  return { lateMs, events: emitted?.events ?? 0 };
}
