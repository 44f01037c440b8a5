import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@switchboard/testing/eventually';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { feedFindings } from '../audit/feed-rules.policy.js';
import { webhookFindings, type WebhookLedger } from '../audit/webhook-rules.policy.js';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { DELIVERED_DEADLINE_MS, recordDeliveries } from '../fault/record-deliveries.js';
import { ReportBook } from '../fault/report-book.js';
import { FeedReader } from '../ledger/feed-reader.js';
import { receiverKinds, type WebhookRecorder } from '../ledger/webhook-recorder.js';
import { MIXED } from '../load/send-plan.js';
import { RacingCallers } from '../races/racing-callers.js';
import { markOf, settleAndAudit, type Mark } from '../stage/settle.js';

const REPLICAS = 2;
const WARM_UP_MS = { min: 300, max: 2_000 };
const AFTER_MS = 1_500;
/** Events that a replay has to send at least: it is under way at the kill. */
const REPLAYED_MIN = 50;
/** What is ended at each point, in turns: a replica, and what both of them stand on. */
const ENDED = ['webhooks', 'webhooks-2', 'nats', 'webhooks', 'webhooks-2', 'postgres'] as const;

/** The worker of deliveries, its broker and its database end while events of a mixed load are delivered, replayed and read. */
export const killWebhooks: Fault = {
  name: 'kill-webhooks',
  promise:
    'kill -9 of a replica of webhooks, of NATS and of PostgreSQL during delivery: each event arrives, as stored, in order, again by a replay, and comes once in the feed',
  // 20 of them end a worker.
  points: { full: 30, short: 1 },
  async run(context, { seed, points }) {
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const { stage, recorder } = await recordDeliveries(context, book, REPLICAS);
    const optOuts = new RacingCallers(stage, 1);
    const feed = new FeedReader(stage);
    const sum = { events: 0, arrivals: 0, interrupted: 0, refused: 0, replayed: 0 };
    try {
      const beginning = await markOf(stage);
      await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 20 });
      for (let point = 1; point <= points; point++) {
        const mark = await markOf(stage);
        const arrival = recorder.size;
        feed.resume();
        const load = stage.load({ random: random.fork(), mix: MIXED });
        await optOuts.optOut(optOuts.nextPhone());
        const since = mark.database.at;
        await eventually(async () => (await recorder.storedSince(since)).length >= REPLAYED_MIN);
        await recorder.replay(since);
        await wait(random.integer(WARM_UP_MS.min, WARM_UP_MS.max));
        const name = ENDED[(point - 1) % ENDED.length] ?? 'webhooks';
        const target = stage.stack.process(name);
        await target.kill('SIGKILL');
        await target.restarted();
        await wait(AFTER_MS);
        await load.stop();
        feed.pause();
        const settling = { deadlineMs: DELIVERED_DEADLINE_MS, withLeases: false, mayDie: [...stage.pids.keys()] };
        book.add(await settleAndAudit(stage, mark, load, settling));
        const said = await auditDeliveries(recorder, { mark, arrival, book, sum });
        context.say(`point ${point}/${points}: ${name} killed; ${said}`);
      }
      const { read, failures } = await feed.end(DELIVERED_DEADLINE_MS);
      const committed = await recorder.committedSince(beginning);
      const findings = feedFindings({ committed, bodies: await recorder.bodiesOf(committed), read });
      for (const finding of findings) book.find(finding);
      const inFeed = `${read.length} read from the feed, ${failures} requests for it failed`;
      context.say(`${inFeed}, ${findings.length} wrong`);
      return book.report(`${sum.events} events, ${textOf(sum)}; ${inFeed}`);
    } finally {
      await Promise.all([feed.stop(), recorder.stop(), optOuts.close()]);
    }
  },
};

interface Deliveries {
  arrivals: number;
  interrupted: number;
  refused: number;
  replayed: number;
}

interface Point {
  readonly mark: Mark;
  /** How many arrivals there were before. */
  readonly arrival: number;
  readonly book: ReportBook;
  readonly sum: Deliveries & { events: number };
}

/** Waits until all deliveries of a point are over, and compares what is known of them. @returns what was counted */
async function auditDeliveries(recorder: WebhookRecorder, { mark, arrival, book, sum }: Point): Promise<string> {
  await recorder.delivered(DELIVERED_DEADLINE_MS);
  const committed = await recorder.committedSince(mark);
  if (committed.length === 0) book.find({ rule: 'unnoticed', detail: 'no event was to be delivered' });
  const said = [`${committed.length} events`];
  sum.events += committed.length;
  for (const kind of receiverKinds) {
    const ledger = await recorder.ledgerSince(kind, committed, arrival);
    const findings = webhookFindings(ledger);
    for (const finding of findings) book.find(finding);
    const counts = countsOf(ledger);
    sum.arrivals += counts.arrivals;
    sum.interrupted += counts.interrupted;
    sum.refused += counts.refused;
    sum.replayed += counts.replayed;
    said.push(`${kind} receivers: ${textOf(counts)}, ${findings.length} wrong`);
  }
  return said.join('; ');
}

function countsOf({ arrivals, attempts, replayed }: WebhookLedger): Deliveries {
  return {
    arrivals: arrivals.length,
    interrupted: attempts.filter(({ error }) => error === 'interrupted').length,
    refused: arrivals.filter(({ answered }) => answered !== 200).length,
    replayed: replayed.size,
  };
}

function textOf({ arrivals, interrupted, refused, replayed }: Deliveries): string {
  return `${arrivals} arrivals, ${interrupted} interrupted, ${refused} refused, ${replayed} replayed`;
}
