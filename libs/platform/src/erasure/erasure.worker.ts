import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import type { Database } from '@switchboard/postgres';
import type { WakeSignal } from '@switchboard/timing';
import { CachedGauge } from '../cached-gauge.js';
import type { Log } from '../logger.js';
import { PollingWorker } from '../polling.worker.js';
import type { RoundResult } from '../polling-loop.js';
import type { ErasedPerson } from './blank-event.policy.js';
import { eraseStoredEvents } from './erase-events.js';
import type { ErasureBook } from './erasure-book.js';
import {
  endErasure,
  keepErasure,
  leaveErasure,
  nextErasureMs,
  pendingErasures,
  takeErasure,
  type PendingErasure,
} from './erasure-ledger.js';
import { ForeignLines, type ReadForeignLines } from './foreign-lines.js';
import { formerUpstreamNames, upstreamNamesOf } from './own-name.js';

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

/**
 * Overwrites what a service keeps of erased contacts: one at a time, organizations by turns, slice by slice. Every slice is a transaction and may be
 * repeated, so that a replica that dies is followed by another, which begins anew.
 */
export abstract class ErasureWorker extends PollingWorker {
  protected readonly database: Database;
  readonly #parts: ErasureWorkerParts;
  /** The organization whose turn was last. */
  #turnOf = '';

  constructor(parts: ErasureWorkerParts) {
    super({ log: parts.log, idleMs: IDLE_MS, signal: parts.signal, failureEvent: 'contact.erase-failed' });
    this.#parts = parts;
    this.database = parts.database;
  }

  override onApplicationBootstrap(): void {
    observeErasures(this.#parts.database, this.#parts.log);
    super.onApplicationBootstrap();
  }

  protected async round(): Promise<RoundResult> {
    const nextMs = await nextErasureMs(this.database);
    if (nextMs === null || nextMs > 0) return nextMs ?? false;
    const pending = await takeErasure(this.database, this.#turnOf);
    // Another replica takes it, or a transaction holds its row.
    if (!pending) return TAKEN_MS;
    this.#turnOf = pending.organizationId;
    if (pending.passes >= PASSES) {
      // Announced again: its confirmation was lost.
      await this.#end(pending);
      return true;
    }
    const startedMs = performance.now();
    const isWhole = await this.#pass(pending);
    const { organizationId, contactId } = pending;
    const passes = pending.passes + (isWhole ? 1 : 0);
    if (!isWhole) await leaveErasure(this.database, pending, 0, AGAIN_MS);
    else if (passes < PASSES) await leaveErasure(this.database, pending, 1, SETTLE_MS);
    else await this.#end(pending);
    const durationMs = Math.round(performance.now() - startedMs);
    this.#parts.log.info('contact.erased', {
      organizationId,
      contactId,
      passes,
      isDone: passes >= PASSES,
      durationMs,
    });
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

  async #end(pending: PendingErasure): Promise<void> {
    await this.#parts.book.confirm(pending);
    await endErasure(this.database, pending);
  }

  async #pass(pending: PendingErasure): Promise<boolean> {
    const numbers = await this.#parts.book.numbersOf(pending);
    const target: ErasureTarget = {
      ...pending,
      ...numbers,
      upstreamNames: upstreamNamesOf(numbers),
      formerNames: formerUpstreamNames(numbers),
      keepOn: () => keepErasure(this.database, pending),
    };
    const isWhole = await this.erase(target);
    const foreign = new ForeignLines(pending.organizationId, this.#parts.foreignLines ?? noForeignLines);
    return (await eraseStoredEvents(this.database, target, foreign, target.keepOn)) && isWhole;
  }
}

async function noForeignLines(): ReturnType<ReadForeignLines> {
  return { phoneNumberIds: [], businessAccountIds: [] };
}

function observeErasures(database: Database, log: Log): void {
  const pending = new CachedGauge({ name: 'pending erasures', read: () => pendingErasures(database), log });
  pending.observeAs(
    'switchboard_erasures_pending',
    'Erased contacts of which this service still keeps something',
    ({ count }) => [{ value: count }],
  );
  pending.observeAs(
    'switchboard_erasures_oldest_seconds',
    'Age of the oldest erasure that this service has not finished; 0 when there is none',
    ({ oldestSeconds }) => [{ value: oldestSeconds }],
  );
}
