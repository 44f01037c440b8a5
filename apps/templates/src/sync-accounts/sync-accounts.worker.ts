import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcUnanswered } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import {
  LOG,
  PollingWorker,
  WorkSlots,
  STOPPING,
  systemClock,
  type Log,
  type RoundResult,
} from '@switchboard/platform';
import { backoffMs, jittered } from '@switchboard/timing';
import { failSync, releaseLease, type LeasedAccount } from '../account/account.repository.js';
import { DueAccounts } from '../account/due-accounts.js';
import { SyncSignal } from '../account/sync-signal.js';
import { LeaseLost, SyncAccount } from './sync-account.js';
import { syncMetrics, type SyncOutcome } from './sync-metrics.js';
import { SYNC_INTERVAL } from './sync-interval.js';

/** Accounts that one process synchronises at once. */
const SLOTS = 4;
/** How soon a replica sees what another made due; what it makes due itself wakes it. */
const IDLE_MS = 2_000;
const FAILED_FIRST_MS = 15_000;

/** Synchronises the accounts that are due: one leased run an account, whichever replica takes it. */
@Injectable()
export class SyncAccountsWorker extends PollingWorker {
  private readonly slots: WorkSlots;
  private readonly due: DueAccounts;

  constructor(
    private readonly database: Database,
    private readonly sync: SyncAccount,
    private readonly relay: Relay,
    signal: SyncSignal,
    @Inject(SYNC_INTERVAL) private readonly intervalSeconds: number,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'templates.sync-claim-failed' });
    this.slots = new WorkSlots(SLOTS, signal);
    this.due = new DueAccounts(database, systemClock);
  }

  override onApplicationBootstrap(): void {
    syncMetrics();
    super.onApplicationBootstrap();
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.slots.ended();
  }

  /** Begins as many runs as there are free slots; a run that ends wakes the loop. */
  protected async round(): Promise<RoundResult> {
    const { free } = this.slots;
    if (free <= 0 || this.stopping.aborted) return false;
    const claimed = await this.due.claim(newCuid(), free);
    for (const account of claimed) this.slots.begin(this.run(account));
    return false;
  }

  private async run(account: LeasedAccount): Promise<void> {
    const startedMs = performance.now();
    let outcome: SyncOutcome = 'completed';
    let code: string | undefined;
    try {
      await this.sync.execute(account, jittered(this.intervalSeconds));
      this.relay.wake();
    } catch (error) {
      outcome = this.stopping.aborted ? 'stopped' : outcomeOf(error);
      code = error instanceof AppError ? error.code : serviceErrors.INTERNAL.code;
      await this.end(account, outcome, code).catch((failure: unknown) =>
        // Its lease ends by itself.
        this.log.error('templates.sync-end-failed', failure),
      );
      if (outcome === 'failed') this.log.error('templates.sync-broken', error, { code });
    }
    const durationMs = performance.now() - startedMs;
    syncMetrics().ended(outcome, durationMs);
    const { organizationId, businessAccountId } = account;
    this.log.info('templates.synchronised', { organizationId, businessAccountId, outcome, code, durationMs });
  }

  private async end(account: LeasedAccount, outcome: SyncOutcome, error: string): Promise<void> {
    if (outcome === 'superseded') return;
    if (outcome === 'stopped') return releaseLease(this.database, account);
    const pace = { firstMs: FAILED_FIRST_MS, maxMs: Math.max(this.intervalSeconds * 1_000, FAILED_FIRST_MS) };
    await failSync(this.database, account, { nextInSeconds: backoffMs(account.failures + 1, pace) / 1_000, error });
  }
}

function outcomeOf(error: unknown): SyncOutcome {
  if (error instanceof LeaseLost) return 'superseded';
  if (error instanceof RpcUnanswered) return 'unavailable';
  if (!(error instanceof AppError)) return 'failed';
  if (error.code === serviceErrors.SERVICE_UNAVAILABLE.code) return 'unavailable';
  const isDisconnected = [messagingErrors.UPSTREAM_NOT_CONNECTED, messagingErrors.CHANNEL_NOT_FOUND].some(
    ({ code }) => code === error.code,
  );
  return isDisconnected ? 'not-connected' : 'failed';
}
