import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import type { Database } from '@switchboard/postgres';
import type { WakeSignal } from '@switchboard/timing';
import type { Log } from '../logger.js';
import { PollingWorker } from '../polling.worker.js';
import type { RoundResult } from '../polling-loop.js';
import type { ErasedPerson } from './blank-event.policy.js';
import { eraseStoredEvents } from './erase-events.js';
import type { ErasureBook } from './erasure-book.js';
import {
  endErasure,
  keepErasures,
  leaveErasure,
  nextErasureMs,
  takeErasure,
  type PendingErasure,
} from './erasure-ledger.js';
import { ForeignLines, type ReadForeignLines } from './foreign-lines.js';
import { observeErasures } from './observe-erasures.js';
import { formerUpstreamNames, upstreamNamesOf } from './own-name.js';
import type { StoredPerson } from './stored-people.js';

/** A contact that is being erased, with all that its rows are found by. */
export interface ErasureTarget extends ErasedPerson, ErasedNumbers, PendingErasure {
  /** Shows that the work goes on; to be called after every slice of it. */
  keepOn(): Promise<void>;
}

/** What a worker needs. */
export interface ErasureWorkerParts {
  readonly database: Database;
  readonly book: ErasureBook;
  /** Absent: nothing that the service stores is a callback. */
  readonly foreignLines?: ReadForeignLines;
  readonly log: Log;
  readonly signal: WakeSignal;
}

/** Two passes: the second finds what was under way during the first. */
const PASSES = 2;
/**
 * Between the passes: longer than a request's budget, a consumer's batch and the transactions of both, so that whatever had
 * read the contact before it was erased has been written, or never will be.
 */
const SETTLE_MS = 20_000;
/** Until a pass that found something under way is repeated. */
const AGAIN_MS = 5_000;
const IDLE_MS = 5_000;
/** Until the next look, where others take what is due. */
const TAKEN_MS = 50;
/** Contacts of one pass: stored events are walked through once for all of them. */
const TOGETHER_MAX = 100;
/** Shown as often, within the lease that they are taken for. */
const KEEP_MS = 3_000;
/** So many contacts in a row of whom something fails are no fault of theirs. */
const FAILURES_MAX = 3;

/** A contact whose own rows a pass has overwritten. */
interface OverwrittenContact extends StoredPerson {
  readonly person: ErasureTarget;
  /** Nothing was under way that must be looked at again. */
  readonly isWhole: boolean;
}

/**
 * Overwrites what a service keeps of erased contacts, many in a pass, organizations by turns: the rows of each, then stored events once for all.
 * Slice by slice: every slice is a transaction and may be repeated, so that a replica that dies is followed by another, which begins anew.
 */
export abstract class ErasureWorker extends PollingWorker {
  protected readonly database: Database;
  readonly #parts: ErasureWorkerParts;
  readonly #readForeignLines: ReadForeignLines;
  /** The organization whose turn was last. */
  #turnOf = '';
  #isStopping = false;

  constructor(parts: ErasureWorkerParts) {
    super({ log: parts.log, idleMs: IDLE_MS, signal: parts.signal, failureEvent: 'contact.erase-failed' });
    this.#parts = parts;
    this.database = parts.database;
    this.#readForeignLines = parts.foreignLines ?? noForeignLines;
  }

  override onApplicationBootstrap(): void {
    observeErasures(this.#parts.database, this.#parts.log);
    super.onApplicationBootstrap();
  }

  /** Contacts whose turn has not come are left to who takes them next. */
  override async onModuleDestroy(): Promise<void> {
    this.#isStopping = true;
    await super.onModuleDestroy();
  }

  protected async round(): Promise<RoundResult> {
    const nextMs = await nextErasureMs(this.database);
    if (nextMs === null || nextMs > 0) return nextMs ?? false;
    const taken = await this.#take();
    // Another replica takes it, or a transaction holds its row.
    if (taken.length === 0) return TAKEN_MS;
    await this.#pass(taken);
    return true;
  }

  /**
   * Overwrites what is the service's own beyond its stored events; nothing, unless a service says so.
   *
   * @returns false when something is under way that must be looked at again
   */
  protected async erase(_target: ErasureTarget): Promise<boolean> {
    return true;
  }

  async #take(): Promise<readonly PendingErasure[]> {
    const taken: PendingErasure[] = [];
    while (taken.length < TOGETHER_MAX) {
      const one = await takeErasure(this.database, this.#turnOf);
      if (!one) break;
      this.#turnOf = one.organizationId;
      taken.push(one);
    }
    return taken;
  }

  /** @throws the first error of single contacts, when the others are through: they are due again when their lease ends */
  async #pass(taken: readonly PendingErasure[]): Promise<void> {
    const startedMs = performance.now();
    const keepOn = this.#keeping(taken);
    const { overwritten, failures } = await this.#overwriteRows(taken, keepOn);
    const left = overwritten.length === 0 ? new Set() : await eraseStoredEvents(this.database, overwritten, keepOn);
    const durationMs = Math.round(performance.now() - startedMs);
    for (const { person, isWhole } of overwritten) {
      await keepOn();
      await this.#leave(person, isWhole && !left.has(person), durationMs);
    }
    if (failures.length > 0) throw failures[0];
  }

  async #overwriteRows(
    taken: readonly PendingErasure[],
    keepOn: () => Promise<void>,
  ): Promise<{ readonly overwritten: readonly OverwrittenContact[]; readonly failures: readonly unknown[] }> {
    const overwritten: OverwrittenContact[] = [];
    const failures: unknown[] = [];
    const lines = new Map<string, ForeignLines>();
    let [tried, inARow] = [0, 0];
    for (const pending of taken) {
      if (this.#isStopping || inARow === FAILURES_MAX) break;
      tried++;
      try {
        await keepOn();
        // Announced again: its confirmation was lost.
        if (pending.passes >= PASSES) await this.#end(pending);
        else {
          const person = await this.#targetOf(pending, keepOn);
          const { organizationId } = pending;
          const foreign = lines.get(organizationId) ?? new ForeignLines(organizationId, this.#readForeignLines);
          lines.set(organizationId, foreign);
          overwritten.push({ person, isWhole: await this.erase(person), foreign });
        }
        inARow = 0;
      } catch (error) {
        failures.push(error);
        inARow++;
      }
    }
    // Due at once, before those of whom something failed.
    for (const untried of taken.slice(tried)) await leaveErasure(this.database, untried, 0, 0);
    return { overwritten, failures };
  }

  async #targetOf(pending: PendingErasure, keepOn: () => Promise<void>): Promise<ErasureTarget> {
    const numbers = await this.#parts.book.numbersOf(pending);
    return {
      ...pending,
      ...numbers,
      upstreamNames: upstreamNamesOf(numbers),
      formerNames: formerUpstreamNames(numbers),
      keepOn,
    };
  }

  /** Shows that the work on these goes on, now and then. */
  #keeping(taken: readonly PendingErasure[]): () => Promise<void> {
    let keptMs = performance.now();
    return async () => {
      if (performance.now() - keptMs < KEEP_MS) return;
      keptMs = performance.now();
      await keepErasures(this.database, taken);
    };
  }

  /** @param isWhole nothing was under way that the pass could not overwrite */
  async #leave(pending: PendingErasure, isWhole: boolean, durationMs: number): Promise<void> {
    const { organizationId, contactId } = pending;
    const passes = pending.passes + (isWhole ? 1 : 0);
    if (!isWhole) await leaveErasure(this.database, pending, 0, AGAIN_MS);
    else if (passes < PASSES) await leaveErasure(this.database, pending, 1, SETTLE_MS);
    else await this.#end(pending);
    this.#parts.log.info('contact.erased', {
      organizationId,
      contactId,
      passes,
      isDone: passes >= PASSES,
      durationMs,
    });
  }

  async #end(pending: PendingErasure): Promise<void> {
    await this.#parts.book.confirm(pending);
    await endErasure(this.database, pending);
  }
}

async function noForeignLines(): ReturnType<ReadForeignLines> {
  return { phoneNumberIds: [], businessAccountIds: [] };
}
