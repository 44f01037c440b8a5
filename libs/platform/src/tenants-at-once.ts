import { isNotNow, LockedLines } from '@switchboard/outbox';
import { isTimedOut } from '@switchboard/postgres';
import { endsWithin, RecentMap } from '@switchboard/timing';

/** Milliseconds behind the last answer after which those that have not answered are not waited for. */
const QUIET_MS = 300;
/** The same while none has answered: longer than what is asked may take. While it is away nothing is left, so that events come again in order. */
const SILENT_MS = 6_000;
/** The same while only tenants are waited for that were too slow before. */
const NOTED_MS = 100;
/** A tenant whose answers came too late is waited for twice as long each time, from the first to the last of these. */
const PATIENCE_MS = { first: 500, max: 4_000 };
/** Far more than are too slow at once. */
const SLOW_MAX = 1_000;

type Ended<Result> = { readonly ok: Result } | { readonly error: unknown };

/** The work of one tenant. */
interface Try<Result> {
  readonly tenant: string;
  readonly startedMs: number;
  /** Answers of any tenant before it began. */
  readonly answersBefore: number;
  /** Never rejects. */
  readonly over: Promise<void>;
  ended: Ended<Result> | null;
  /** It is not waited for any more. */
  isLeft: boolean;
  /** Left because others had answered meanwhile. */
  isNoted: boolean;
}

/** What came of the work of a batch. */
export interface WorkOfTenants<Result> {
  readonly done: ReadonlyMap<string, Result>;
  /** Tenants whose work is to be asked for again. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Works for the tenants of a batch at once, and waits for none that is slower than the others: it is left to itself, and while its work
 * goes on, and for a growing pause if others were served meanwhile, its events wait. The work may be repeated.
 */
export class TenantsAtOnce<Result> {
  private readonly locked = new LockedLines();
  /** Work that was left, by tenant: under way, or failed with something that its next batch has to know. */
  private readonly left = new Map<string, Try<Result>>();
  /** By tenant that was too slow. */
  private readonly patienceMs: RecentMap<string, number>;
  private answers = 0;

  /** @param slowMax tenants at most of which is remembered that they were too slow */
  constructor(slowMax = SLOW_MAX) {
    this.patienceMs = new RecentMap(slowMax);
  }

  /** @throws what failed for another cause than a lock of one tenant, and when whatever is asked has answered none */
  async each(works: ReadonlyMap<string, () => Promise<Result>>): Promise<WorkOfTenants<Result>> {
    const waiting = new Set<string>();
    const tries: Try<Result>[] = [];
    for (const [tenant, work] of works) {
      const left = this.left.get(tenant);
      if (left?.ended) {
        this.left.delete(tenant);
        tries.push(left);
      } else if (left || this.locked.pauseMs(tenant) > 0) waiting.add(tenant);
      else tries.push(this.begin(tenant, work));
    }
    await this.untilQuiet(tries);
    const away: unknown[] = [];
    for (const one of tries) {
      const { tenant, ended } = one;
      if (ended && 'ok' in ended) continue;
      if (ended && !isPassing(ended.error)) throw ended.error;
      waiting.add(tenant);
      one.isNoted = this.locked.has(tenant) || this.answers > one.answersBefore;
      if (one.isNoted) this.locked.timedOut(tenant);
      else if (ended) away.push(ended.error);
      if (!ended) this.leave(one);
    }
    if (away.length > 0) throw away[0];
    return {
      done: new Map(tries.flatMap(({ tenant, ended }) => (ended && 'ok' in ended ? [[tenant, ended.ok]] : []))),
      waiting,
    };
  }

  private begin(tenant: string, work: () => Promise<Result>): Try<Result> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const at = { startedMs: performance.now(), answersBefore: this.answers };
    const one: Try<Result> = { tenant, ...at, over, ended: null, isLeft: false, isNoted: false };
    const end = (ended: Ended<Result>): void => {
      this.end(one, ended);
      resolve();
    };
    work().then(
      (ok) => end({ ok }),
      (error: unknown) => end({ error }),
    );
    return one;
  }

  private end(one: Try<Result>, ended: Ended<Result>): void {
    const { tenant } = one;
    one.ended = ended;
    if ('ok' in ended) {
      this.answers++;
      this.locked.passed(tenant);
      this.learn(one);
    }
    // A failure is kept for the tenant's next batch, unless the tenant was noted for it.
    const isForgotten = 'ok' in ended || (one.isNoted && isPassing(ended.error));
    if (isForgotten && this.left.get(tenant) === one) this.left.delete(tenant);
  }

  /** A tenant that always takes longer than it is waited for would never be served. */
  private learn({ tenant, startedMs, isLeft }: Try<Result>): void {
    const patienceMs = this.patienceMs.get(tenant) ?? PATIENCE_MS.first;
    if (isLeft) this.patienceMs.set(tenant, Math.min(2 * patienceMs, PATIENCE_MS.max));
    else if (performance.now() - startedMs < patienceMs / 4) this.patienceMs.delete(tenant);
  }

  private leave(one: Try<Result>): void {
    one.isLeft = true;
    this.left.set(one.tenant, one);
  }

  /** Returns when all have ended, or none has for longer than those that are left are waited for. */
  private async untilQuiet(tries: readonly Try<Result>[]): Promise<void> {
    let sinceMs = performance.now();
    let open = tries.filter(({ ended }) => !ended);
    while (open.length > 0) {
      const hasAnswered = tries.some(({ ended }) => ended && 'ok' in ended);
      const untilMs = sinceMs + Math.max(...open.map(({ tenant }) => this.waitMs(tenant, hasAnswered)));
      const next = Promise.race(open.map(({ over }) => over));
      if (!(await endsWithin(next, untilMs - performance.now()))) return;
      sinceMs = performance.now();
      open = open.filter(({ ended }) => !ended);
    }
  }

  private waitMs(tenant: string, hasAnswered: boolean): number {
    const usualMs = hasAnswered ? QUIET_MS : SILENT_MS;
    return this.patienceMs.get(tenant) ?? (this.locked.has(tenant) ? NOTED_MS : usualMs);
  }
}

/** Nothing of the work itself: a lock that was not had, or something that is away. */
function isPassing(error: unknown): boolean {
  return isNotNow(error) || isTimedOut(error);
}
