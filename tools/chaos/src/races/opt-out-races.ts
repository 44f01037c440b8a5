import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';
import { BEGINNING, settleAndAudit } from '../stage/settle.js';
import type { Stage } from '../stage/stage.js';
import type { Audit } from '../audit/audit.js';
import { RacingCallers } from './racing-callers.js';

/** Answers of the upstream take so long, in turns; with 3 s the fence waits until what was marked can begin no more. */
export const LATENCIES_MS = [0, 30, 150, 600, 3_000] as const;
/** Throttled sends are repeated: a repetition races with the opt-out call as a first attempt does. */
const THROTTLED = { 130429: 0.2 };
const AT_ONCE = 20;
/** A service comes back within seconds, leases of killed processes end after 45 s. */
const SETTLE_DEADLINE_MS = 120_000;

/** A number raced for: when its opt-out call had returned, and what was sent to it. */
export interface OptOutRace {
  readonly phone: string;
  readonly returnedMs: number | null;
  readonly sends: readonly Send[];
}

/** What a series of races ended with. */
export interface OptOutRaces {
  readonly races: readonly OptOutRace[];
  /** Requests that the upstream received since the stage was opened. */
  readonly requests: number;
  readonly audit: Audit;
  /** Requests that began after the opt-out call of their number had returned. */
  readonly late: readonly Finding[];
}

/** Sends and repetitions of sends against opt-out calls for the same numbers. One series a stage. */
export class OptOutRacing {
  private readonly callers: RacingCallers;
  private readonly races: OptOutRace[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly random: SeededRandom,
  ) {
    this.callers = new RacingCallers(stage, AT_ONCE * 4);
  }

  /** Runs so many races at each latency of the upstream. */
  async atEachLatency(count: number): Promise<OptOutRace[]> {
    const first = this.races.length;
    for (const latencyMs of LATENCIES_MS) {
      await this.stage.simulator.turn({ latencyMs, errorRate: THROTTLED });
      await this.raceTogether(count);
    }
    return this.races.slice(first);
  }

  /** Races until each of these processes was killed and runs again, one after the other. */
  async whileKilling(names: readonly string[]): Promise<OptOutRace[]> {
    const first = this.races.length;
    await this.stage.simulator.turn({ latencyMs: 100, errorRate: THROTTLED });
    let isOver = false;
    const kills = this.killEach(names).finally(() => (isOver = true));
    while (!isOver) await this.raceTogether(AT_ONCE);
    await kills;
    return this.races.slice(first);
  }

  /** Waits until nothing is on its way, and compares the ends of calls with the upstream's log and the ledgers. */
  async end(killed: readonly string[] = []): Promise<OptOutRaces> {
    await this.stage.simulator.turn({ latencyMs: 0, errorRate: {} });
    const settling = { deadlineMs: SETTLE_DEADLINE_MS, withLeases: true, mayDie: killed };
    const audit = await settleAndAudit(this.stage, BEGINNING, { sends: this.callers.sends, inbound: [] }, settling);
    await this.callers.close();
    const arrivals = await this.stage.simulator.arrivals();
    const returned = new Map(this.races.map(({ phone, returnedMs }) => [phone, returnedMs]));
    const late = arrivals.flatMap(({ to, arrivedMs }): Finding[] => {
      const lateMs = arrivedMs - (returned.get(to) ?? Infinity);
      return lateMs > 0 ? [{ rule: 'fence.late', detail: `${to}: a request ${lateMs} ms after its opt-out` }] : [];
    });
    return { races: this.races, requests: arrivals.length, audit, late };
  }

  private async raceTogether(count: number): Promise<void> {
    let left = count;
    const runner = async (): Promise<void> => {
      while (left-- > 0) this.races.push(await this.race());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runner));
  }

  /** Sends around an opt-out call, and one behind it. */
  private async race(): Promise<OptOutRace> {
    const { callers, random } = this;
    const phone = callers.nextPhone();
    const sends: Promise<Send>[] = [];
    // Half of the contacts are known before.
    if (random.chance(0.5)) sends.push(callers.send(phone));
    const callAfterMs = random.next() * 40;
    for (let n = 0; n < 2; n++) sends.push(wait(random.next() * 80).then(() => callers.send(phone)));
    await wait(callAfterMs);
    const returnedMs = await callers.optOut(phone);
    sends.push(callers.send(phone));
    return { phone, returnedMs, sends: await Promise.all(sends) };
  }

  /** Kills one after the other, each when the one before runs again. */
  private async killEach(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await wait(300 + this.random.next() * 700);
      await this.stage.stack.process(name).kill('SIGKILL');
      await this.stage.stack.process(name).restarted();
    }
  }
}
