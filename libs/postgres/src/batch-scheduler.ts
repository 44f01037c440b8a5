import { context } from '@opentelemetry/api';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { ApartKind } from './apart-lines.js';
import { measureBatches, type BatchMetrics } from './batch-metrics.js';
import type { CoalesceSpec } from './coalesce-spec.js';
import { FairQueue } from './fair-queue.js';
import { LockTrouble } from './lock-trouble.js';
import { isTimedOut } from './postgres-errors.js';
import {
  dropOver,
  isShared,
  settleApart,
  settleShared,
  type ApartOutcome,
  type BatchRun,
  type Outcome,
  type RunOptions,
  type Stalled,
  type Waiting,
} from './settle-batch.js';
import { StalledKeys } from './stalled-keys.js';
import { traceBatch } from './trace-batch.js';
import { USUAL_LOCK_WAIT_MS } from './transaction-query.js';

/** Batches under way at once of what is set apart: none of the others waits behind what has stalled, however many rows are locked. */
const APART_IN_FLIGHT: Readonly<Record<ApartKind, number>> = { unproven: 2, stalled: 1 };
/** While so many wait that have stalled, each is tried for as short as one that was just set apart: their round takes 5 s with fifty, not 25. */
const STALLED_MANY = 2;

/** Decides when which items of a coalesced function run together; see `coalesce`. */
export class BatchScheduler<I, O> {
  private readonly queue: FairQueue<Waiting<I, O>>;
  private readonly measured: BatchMetrics;
  private readonly timedRun: BatchRun<I, O>;
  private readonly trouble = new LockTrouble();
  private readonly stalledKeys = new StalledKeys();
  /** Batches that are shared. */
  private inFlight = 0;
  /** Lines with a batch under way, as they were when it began. */
  private readonly apartInFlight = new Map<string, ApartKind>();
  private isScheduled = false;
  private isDraining = false;
  private onIdle: (() => void)[] = [];

  constructor(private readonly spec: CoalesceSpec<I, O>) {
    this.queue = new FairQueue(spec.limits);
    this.measured = measureBatches(spec.name, this.queue);
    this.timedRun = { ...spec, run: (items, options) => this.runTimed(items, options) };
  }

  /** As a call of the coalesced function. */
  take(item: I, signal?: AbortSignal): Promise<O> {
    if (this.isDraining) {
      return Promise.reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE, 'The service is stopping'));
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<O>((resolve, reject) => {
      const waiting: Waiting<I, O> = {
        item,
        tenant: this.spec.tenant(item),
        serialKey: this.spec.serialKey?.(item),
        bytes: this.spec.bytes?.(item) ?? 0,
        context: context.active(),
        signal,
        resolve,
        reject,
      };
      if (this.queue.offer(waiting)) return this.schedule();
      this.measured.refused();
      reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 }));
    });
  }

  /** As `Coalesced.drain`. */
  drain(): Promise<void> {
    this.isDraining = true;
    return new Promise<void>((resolve) => {
      this.onIdle.push(resolve);
      this.settleIdle();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.queue.length === 0) return;
    if (!this.mayRunShared() && !this.mayRunApart('unproven') && !this.mayRunApart('stalled')) return;
    this.isScheduled = true;
    // After the current I/O events, so that requests of one read of the socket share a batch.
    setImmediate(() => {
      this.isScheduled = false;
      while (this.mayRunShared() && this.flushShared()) continue;
      while (this.mayRunApart('unproven') && this.flushApart('unproven')) continue;
      while (this.mayRunApart('stalled') && this.flushApart('stalled')) continue;
    });
  }

  private mayRunShared(): boolean {
    return this.inFlight < this.spec.limits.inFlight;
  }

  /** What is set apart has slots of its own: it takes none from the others. */
  private mayRunApart(kind: ApartKind): boolean {
    if (this.queue.apartCount === 0) return false;
    const underway = [...this.apartInFlight.values()].filter((own) => own === kind);
    return underway.length < APART_IN_FLIGHT[kind];
  }

  private flushShared(): boolean {
    for (const tenant of this.trouble.unproven(this.queue.sharing, performance.now())) {
      this.queue.setApart({ name: tenant, tenant, kind: 'unproven' }, [], dropOver);
    }
    const batch = this.queue.take(dropOver);
    if (batch.length === 0) {
      this.settleIdle();
      return false;
    }
    this.inFlight++;
    const nowMs = performance.now();
    const lockWaitMs = isShared(batch) ? this.trouble.sharedWaitMs(nowMs) : this.trouble.aloneWaitMs(nowMs);
    const settle = async (): Promise<ApartOutcome<Waiting<I, O>>> => {
      return { stalled: await settleShared(this.timedRun, batch, lockWaitMs), hasPassed: false };
    };
    void this.run(batch, settle).finally(() => {
      this.inFlight--;
      this.settleIdle();
      this.schedule();
    });
    return true;
  }

  private flushApart(kind: ApartKind): boolean {
    const taken = this.queue.takeApart(kind, this.apartInFlight, dropOver);
    if (!taken) {
      this.settleIdle();
      return false;
    }
    const { name, batch } = taken;
    this.apartInFlight.set(name, kind);
    const isUsual = kind === 'stalled' && this.queue.apart.stalledCount < STALLED_MANY;
    const lockWaitMs = isUsual ? USUAL_LOCK_WAIT_MS : this.trouble.apartWaitMs(performance.now());
    const line = { name, kind, lockWaitMs, hasFreeKeys: this.stalledKeys.has(name) };
    void this.run(batch, () => settleApart(this.timedRun, line, batch), name).finally(() => {
      this.apartInFlight.delete(name);
      // Others wait for as long as their callers do, wherever their turn is.
      if (kind === 'stalled') this.queue.dropApart(dropOver);
      this.settleIdle();
      this.schedule();
    });
    return true;
  }

  /** What a run takes says how long its locks are held. */
  private async runTimed(items: readonly I[], options: RunOptions): Promise<readonly Outcome<O>[]> {
    const startedMs = performance.now();
    const outcomes = await this.spec.run(items, options);
    const endedMs = performance.now();
    this.trouble.ran(endedMs - startedMs, endedMs);
    return outcomes;
  }

  /** @param apart name of the line that the batch is of, where it is set apart */
  private async run(
    batch: readonly Waiting<I, O>[],
    settle: () => Promise<ApartOutcome<Waiting<I, O>>>,
    apart?: string,
  ): Promise<void> {
    const startedMs = performance.now();
    const { stalled, hasPassed } = await traceBatch(this.spec.name, batch, settle);
    this.measured.ran(batch.length, performance.now() - startedMs);
    this.queue.release(batch);
    if (apart !== undefined && hasPassed) this.notePass(apart, batch);
    this.noteKeys(stalled);
    this.noteTrouble(stalled, apart !== undefined);
    if (apart !== undefined && stalled.every(({ name }) => name !== apart)) this.rejoin(apart, hasPassed);
    this.setApart(stalled);
  }

  /** What waits of a line that has not timed out again shares batches again, unless more of its keys may be locked. */
  private rejoin(apart: string, hasPassed: boolean): void {
    if (this.stalledKeys.has(apart)) return;
    if (hasPassed || this.queue.apart.isQuiet(apart)) this.queue.rejoin(apart);
  }

  private setApart(stalled: readonly Stalled<Waiting<I, O>>[]): void {
    for (const { name, tenant, items, error, isAlone } of stalled) {
      if (isTimedOut(error)) this.measured.timedOut(items.length);
      for (const own of items) own.stalledFor = error;
      this.queue.setApart({ name, tenant, kind: isAlone ? 'stalled' : 'unproven' }, items, dropOver);
    }
  }

  private notePass(apart: string, batch: readonly Waiting<I, O>[]): void {
    const [first] = batch;
    if (first) this.trouble.passed(first.tenant, performance.now());
    // The callers of keys that time out may have gone when others of the tenant pass.
    const stalledMs = this.queue.apart.passed(apart, batch);
    if (stalledMs !== null) this.stalledKeys.note(apart, stalledMs);
  }

  private noteKeys(stalled: readonly Stalled<Waiting<I, O>>[]): void {
    const nowMs = performance.now();
    for (const { name, tenant } of stalled) if (name !== tenant) this.stalledKeys.note(tenant, nowMs);
    this.stalledKeys.forgetOld(nowMs, (tenant) => this.queue.apart.hasStalledKey(tenant, this.apartInFlight));
  }

  private noteTrouble(stalled: readonly Stalled<Waiting<I, O>>[], isApart: boolean): void {
    const nowMs = performance.now();
    for (const { tenant, items, error, isAlone } of stalled) {
      if (!isTimedOut(error)) continue;
      const [first] = items;
      if (isAlone) this.trouble.timedOut(tenant, (first && this.spec.organization?.(first.item)) ?? tenant, nowMs);
      else if (!isApart) this.trouble.sharedTimedOut(nowMs);
    }
  }

  private settleIdle(): void {
    if (this.inFlight > 0 || this.apartInFlight.size > 0 || this.queue.length > 0) return;
    for (const resolve of this.onIdle) resolve();
    this.onIdle = [];
  }
}
