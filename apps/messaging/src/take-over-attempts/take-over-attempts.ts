import type { Database } from '@switchboard/postgres';
import { LEASE_MS } from '../dispatch/dispatch.entity.js';
import type { Postponement } from '../dispatch/dispatch.repository.js';
import {
  orphanedAttempts,
  mayTakeOver,
  takeOver,
  type OrphanedAttempt,
} from '../dispatch/orphaned-attempts.repository.js';
import { orphanedJournals, removeOrphaned, type OrphanedJournal } from '../dispatch/orphaned-journals.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';

/** What came of a look at what ended processes left. */
export interface TakenOver {
  /** Provably never left: to be sent at once. */
  readonly released: readonly OrphanedAttempt[];
  /** May have left: wait for evidence as UNKNOWN. */
  readonly unknown: readonly OrphanedAttempt[];
}

/** Its row says which attempt it was; no answer gave a code. */
const AS_MARKED = { code: null, attempt: null } as const;

/**
 * Decides what processes that have ended left open, without waiting for the ends of their leases.
 *
 * A COMMIT of a killed process may be done after the first look: so it is looked again for as long as a lease lasts.
 */
export class TakeOverAttempts {
  /** By instance: since when it is known to have ended, in monotonic milliseconds. */
  private readonly ended = new Map<string, number>();

  /** @param folder of the journals; @param instance of this process, which has not ended */
  constructor(
    private readonly database: Database,
    private readonly folder: string,
    private readonly instance: string,
  ) {}

  /** @param nowMs monotonic */
  async execute(nowMs: number): Promise<TakenOver> {
    const journals = await orphanedJournals(this.folder, this.instance);
    this.forgetAllBut(journals);
    // A look at a database that is not compared decides nothing, so the time after which journals go does not begin with it.
    if (journals.length === 0 || !(await mayTakeOver(this.database))) return { released: [], unknown: [] };
    for (const { instance } of journals) if (!this.ended.has(instance)) this.ended.set(instance, nowMs);
    const { isComplete, ...taken } = await this.decide(journals);
    // What is locked is decided when it is free: the journals are still needed.
    if (!isComplete) return taken;
    for (const journal of journals) {
      if (nowMs - (this.ended.get(journal.instance) ?? nowMs) <= LEASE_MS) continue;
      await removeOrphaned(this.folder, journal);
    }
    return taken;
  }

  /** What is not found any more was taken over, by this process or by another replica. */
  private forgetAllBut(journals: readonly OrphanedJournal[]): void {
    const found = new Set(journals.map(({ instance }) => instance));
    for (const instance of this.ended.keys()) if (!found.has(instance)) this.ended.delete(instance);
  }

  private async decide(journals: readonly OrphanedJournal[]): Promise<TakenOver & { readonly isComplete: boolean }> {
    const orphaned = await orphanedAttempts(
      this.database,
      journals.flatMap(({ generations }) => generations),
    );
    const mayHaveBegun = (attempt: OrphanedAttempt): boolean =>
      journals.every((journal) => journal.mayHaveBegun(attempt));
    const released = orphaned.filter((attempt) => !mayHaveBegun(attempt));
    // What may still be on its way is looked for by opt-outs, which count marks.
    const unknown = orphaned.filter((one) => mayHaveBegun(one) && one.state === 'DISPATCHING' && one.hasArrived);
    const postponements: Postponement[] = [
      ...released.map((dispatch) => ({ dispatch, ...AS_MARKED, state: 'RETRY', delayMs: 0, attempts: 0 }) as const),
      ...unknown.map((dispatch) => {
        return { dispatch, ...AS_MARKED, state: 'UNKNOWN', delayMs: SETTLE_DEADLINE_MS, attempts: 1 } as const;
      }),
    ];
    const taken = postponements.length === 0 ? [] : await takeOver(this.database, postponements);
    const decided = new Set(taken.map(({ dispatch }) => dispatch));
    return {
      released: released.filter((attempt) => decided.has(attempt)),
      unknown: unknown.filter((attempt) => decided.has(attempt)),
      isComplete: taken.length === postponements.length,
    };
  }
}
