import { setTimeout as wait } from 'node:timers/promises';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { webhookFindings } from '../audit/webhook-rules.policy.js';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { WebhookRecorder } from '../ledger/webhook-recorder.js';
import { MIXED } from '../load/send-plan.js';
import { BEGINNING, markOf, settle, settleAndAudit } from '../stage/settle.js';

/** Waits between attempts are hundredths: an attempt that a kill interrupted is made again within a second. */
const TIME_SCALE = '0.02';
const REPLICAS = 2;
const WARM_UP_MS = { min: 300, max: 2_000 };
const AFTER_MS = 1_500;
/** A lease of 15 s, a restart, and the rest of the load. */
const DELIVERED_DEADLINE_MS = 120_000;
const LOOK_EVERY_MS = 200;
/** What is ended at each point, in turns: a replica, and what both of them stand on. */
const ENDED = ['webhooks', 'webhooks-2', 'nats', 'webhooks', 'webhooks-2', 'postgres'] as const;

/** The worker of deliveries, its broker and its database end while events of a mixed load are delivered. */
export const killWebhooks: Fault = {
  name: 'kill-webhooks',
  promise:
    'kill -9 of a replica of webhooks, of NATS and of PostgreSQL during delivery: each event arrives, as stored, in order',
  points: { full: 20, short: 1 },
  async run(context, { seed, points }) {
    const environment = { WEBHOOKS_TIME_SCALE: TIME_SCALE };
    const stage = await context.fresh({ replicas: { webhooks: REPLICAS }, environment });
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    const recorder = await WebhookRecorder.start(stage);
    // The registrations are events too: a mark is taken at rest.
    const restless = await settle(stage, BEGINNING, { deadlineMs: DELIVERED_DEADLINE_MS, withLeases: false });
    if (restless !== null) book.find({ rule: 'never-quiet', detail: restless });
    const sum = { events: 0, arrivals: 0, interrupted: 0 };
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 20 });
    for (let point = 1; point <= points; point++) {
      const mark = await markOf(stage);
      const arrival = recorder.size;
      const load = stage.load({ random: random.fork(), mix: MIXED });
      await wait(random.integer(WARM_UP_MS.min, WARM_UP_MS.max));
      const name = ENDED[(point - 1) % ENDED.length] ?? 'webhooks';
      const target = stage.stack.process(name);
      await target.kill('SIGKILL');
      await target.restarted();
      await wait(AFTER_MS);
      await load.stop();
      const settling = { deadlineMs: DELIVERED_DEADLINE_MS, withLeases: false, mayDie: [...stage.pids.keys()] };
      book.add(await settleAndAudit(stage, mark, load, settling));
      const deadlineMs = Date.now() + DELIVERED_DEADLINE_MS;
      while ((await recorder.pending()) > 0 && Date.now() < deadlineMs) await wait(LOOK_EVERY_MS);
      const ledger = await recorder.ledgerSince(mark.database.positions.get('messaging') ?? 0, arrival);
      const findings = webhookFindings(ledger);
      findings.forEach((finding) => book.find(finding));
      if (ledger.committed.length === 0) book.find({ rule: 'unnoticed', detail: 'no event was to be delivered' });
      const interrupted = ledger.attempts.filter(({ error }) => error === 'interrupted').length;
      sum.events += ledger.committed.length;
      sum.arrivals += ledger.arrivals.length;
      sum.interrupted += interrupted;
      context.say(
        `point ${point}/${points}: ${name} killed; ${ledger.committed.length} events, ${ledger.attempts.length} attempts, ` +
          `${interrupted} interrupted, ${ledger.arrivals.length} arrivals, ${findings.length} wrong`,
      );
    }
    await recorder.stop();
    return book.report(`${sum.events} events, ${sum.arrivals} arrivals, ${sum.interrupted} interrupted`);
  },
};
