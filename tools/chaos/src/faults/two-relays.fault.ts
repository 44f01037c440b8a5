import { setTimeout as wait } from 'node:timers/promises';
import { connectNats, EventPublisher } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import type { Fault } from '../fault/fault.js';
import { UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import { MIXED } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

const ROUND_MS = 3_000;
const PUBLISH_DELAY_MS_MAX = 30;

/** Two more relays take messaging's outbox under locks of their own, late and in disorder. */
export const twoRelays: Fault = {
  name: 'two-relays',
  promise: 'three relays of one outbox at once, their sessions cut: each event once, in the order of its conversation',
  points: { full: 10, short: 1 },
  async run(context, { seed, points }) {
    const stage = await context.shared();
    const random = new SeededRandom(seed);
    const book = new ReportBook();
    await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 20 });
    const intruders = [await startIntruder(stage, random.fork()), await startIntruder(stage, random.fork())];
    try {
      for (let point = 1; point <= points; point++) {
        const mark = await markOf(stage);
        const load = stage.load({ random: random.fork(), mix: MIXED });
        await wait(random.integer(ROUND_MS / 2, ROUND_MS));
        // The one that holds the real lock loses its session in the middle of a batch.
        const cut = await stage.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`,
        );
        await wait(random.integer(ROUND_MS / 2, ROUND_MS));
        await load.stop();
        const audit = await settleAndAudit(stage, mark, load, { deadlineMs: 60_000, withLeases: false });
        book.add(audit);
        const { sends, events } = audit.tally;
        context.say(
          `point ${point}/${points}: ${cut.length} relays cut off; ${sends} sends, ${events} events, ` +
            `${audit.findings.length} wrong`,
        );
      }
    } finally {
      await Promise.all(intruders.map((intruder) => intruder.stop()));
      await stage.simulator.reset();
    }
    const published = intruders.map(({ published: count }) => count);
    if (published.includes(0)) book.find({ rule: 'unnoticed', detail: 'a second relay never published anything' });
    return book.report(`published by the others: ${published.join(' and ')}`);
  },
};

interface Intruder {
  readonly published: number;
  stop(): Promise<void>;
}

let intruders = 0;

async function startIntruder(stage: Stage, random: SeededRandom): Promise<Intruder> {
  const name = `chaos-${++intruders}`;
  const { databaseUrl, natsUrl } = stage.stack.devJson;
  const onIdleError = (): void => undefined;
  const options = { schema: 'messaging', applicationName: name, poolMax: 4, entities: [], onIdleError };
  const database = await Database.open({ url: databaseUrl, ...options });
  const url = new URL(natsUrl);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const connection = await connectNats({ url: `nats://${url.host}`, user, password, onStatus: () => undefined });
  const publisher = new EventPublisher(connection, 'messaging');
  let published = 0;
  const relay = new Relay({
    database,
    // Names another lock than the service's own.
    service: name,
    batchMax: random.integer(10, 200),
    // Nothing wakes it: it competes by looking often.
    pollIntervalMs: 20,
    broker: {
      stream: publisher.stream,
      get isDoubtful() {
        return publisher.isDoubtful;
      },
      streamState: () => publisher.streamState(),
      publish: async (event) => {
        await wait(random.next() * PUBLISH_DELAY_MS_MAX);
        const ack = await publisher.publish(event);
        published++;
        return ack;
      },
    },
    report: () => undefined,
  });
  relay.start();
  return {
    get published() {
      return published;
    },
    async stop() {
      await relay.stop();
      await connection.close();
      await database.close();
    },
  };
}
