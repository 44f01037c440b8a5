import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames } from '@switchboard/contracts/topology';
import { request } from 'undici';
import type { Fault } from '../fault/fault.js';
import { freezeTree } from '../fault/frozen-process.js';
import { isSuccess, UNRULY_KNOBS } from '../fault/kill-points.js';
import { ReportBook } from '../fault/report-book.js';
import type { Send } from '../ledger/ledgers.js';
import { Wires, type WireEnd } from '../link/wires.js';
import { HEALTHY } from '../load/send-plan.js';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { markOf, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';

/** Something that stands still without closing anything. */
interface Standstill {
  readonly name: string;
  /** The services whose readiness must turn; none where sends must tell of it. */
  readonly dependants: readonly string[];
  /** @returns how it goes on */
  begin(stage: Stage, wires: Wires): Promise<() => Promise<void>>;
}

const NOTICED_WITHIN_MS = 15_000;
/** A caller is answered within 15 s (the gateway's own limit); the rest is the machine's slack. */
const ANSWER_MS_MAX = 17_000;
const HELD_MS = 18_000;
const RECOVERY_DEADLINE_MS = 60_000;

const STANDSTILLS: readonly Standstill[] = [
  processes('messaging'),
  wire('messaging', 'postgres'),
  processes('nats', serviceNames),
  wire('gateway', 'nats'),
  processes('postgres', serviceNames),
  wire('gateway', 'postgres'),
  wire('messaging', 'nats'),
  processes('contacts'),
  wire('contacts', 'postgres'),
  wire('contacts', 'nats'),
  wire('messaging', 'upstream', []),
  processes('simulator'),
];

/** Processes that stand still, and wires on which nothing passes: no side gets a signal, so each has to notice. */
export const halfOpen: Fault = {
  name: 'half-open',
  promise: 'a server, a service or a wire that stands still is noticed within 15 s; no caller waits for ever',
  points: { full: STANDSTILLS.length, short: 1 },
  async run(context, { seed, points }) {
    const wires = await Wires.open(serviceNames);
    try {
      const stage = await context.fresh({ environmentOf: wires.environmentOf });
      const random = new SeededRandom(seed);
      const book = new ReportBook();
      const noticed: number[] = [];
      await stage.simulator.turn({ ...UNRULY_KNOBS, latencyMs: 50 });
      for (const standstill of STANDSTILLS.slice(0, points)) {
        const mark = await markOf(stage);
        const load = stage.load({ random: random.fork(), mix: HEALTHY, callers: 8 });
        await wait(1_500);
        const resume = await standstill.begin(stage, wires);
        const begunMs = Date.now();
        // Sends to unknown numbers need every part of the platform.
        const failing = load.probe((send) => !isSuccess(send), { toNew: true, deadlineMs: HELD_MS });
        const turning = standstill.dependants.map((service) => untilUnready(stage, service, HELD_MS));
        const [first, unreadies] = await Promise.all([failing, Promise.all(turning), wait(HELD_MS)]);
        await resume();
        const healedMs = Date.now();
        // Every service that needs it says so by itself; where none does, a send is the first to tell.
        const toldMs = first === undefined ? Infinity : first.endedMs - begunMs;
        const noticedMs = unreadies.length > 0 ? Math.max(...unreadies) : toldMs;
        const back = await load.probe(isSuccess, { toNew: true, deadlineMs: RECOVERY_DEADLINE_MS });
        await load.stop();
        const audit = await settleAndAudit(stage, mark, load, { deadlineMs: 120_000, withLeases: true });
        const longestMs = Math.max(...load.sends.map(({ startedMs, endedMs }) => endedMs - startedMs));
        book.add(audit, (back?.endedMs ?? Date.now()) - healedMs);
        noticed.push(noticedMs);
        if (noticedMs > NOTICED_WITHIN_MS)
          book.find({ rule: 'unnoticed', detail: `${standstill.name}: ${noticedMs} ms` });
        for (const { text, startedMs, endedMs, outcome } of load.sends.filter(isTooLong)) {
          const detail = `${standstill.name}: «${text}» ${outcome.kind} after ${endedMs - startedMs} ms`;
          book.find({ rule: 'send.slow', detail });
        }
        context.say(
          `${standstill.name}: noticed after ${noticedMs} ms (${first === undefined ? '' : seenBy(first)}` +
            `${unreadies.length === 0 ? '' : `, not ready after ${unreadies.join(', ')} ms`}), longest answer ${longestMs} ms, ` +
            `${audit.tally.sends} sends, ${audit.tally.failed} 5xx, ${audit.findings.length} wrong`,
        );
      }
      return book.report(`noticed after ${Math.max(...noticed)} ms at most`);
    } finally {
      await wires.close();
    }
  },
};

function processes(name: string, dependants: readonly string[] = []): Standstill {
  return {
    name: `${name} stands still`,
    dependants,
    async begin(stage) {
      const { thaw } = await freezeTree(stage.stack.process(name).pid);
      return async () => thaw();
    },
  };
}

function wire(process: string, end: WireEnd, dependants: readonly string[] = [process]): Standstill {
  return {
    name: `nothing passes between ${process} and ${end}`,
    dependants,
    async begin(_stage, wires) {
      const link = wires.between(process, end);
      link.freeze();
      return () => link.heal();
    },
  };
}

/** Milliseconds until the service says that it is not ready; Infinity when it does not. */
async function untilUnready(stage: Stage, service: string, forMs: number): Promise<number> {
  const health = stage.stack.devJson.processes.find(({ name }) => name === service)?.health;
  if (health === undefined) throw new Error(`${service} has no health address`);
  const startedMs = Date.now();
  while (Date.now() - startedMs < forMs) {
    const answer = await request(health, { headersTimeout: forMs, bodyTimeout: forMs }).catch(() => null);
    await answer?.body.dump();
    if (answer !== null && answer.statusCode !== 200) return Date.now() - startedMs;
    await wait(200);
  }
  return Infinity;
}

function isTooLong({ startedMs, endedMs }: Send): boolean {
  return endedMs - startedMs > ANSWER_MS_MAX;
}

function seenBy({ outcome, startedMs, endedMs }: Send): string {
  const what = outcome.kind === 'answered' ? `${outcome.status} ${outcome.code ?? 'QUEUED'}` : outcome.kind;
  return `a send was answered ${what} after ${endedMs - startedMs} ms`;
}
