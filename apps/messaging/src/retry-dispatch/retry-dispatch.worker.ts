import { Inject, Injectable } from '@nestjs/common';
import { Database, LookFloor } from '@switchboard/postgres';
import { pause, WakeSignal } from '@switchboard/timing';
import { CLOCK, LOG, PollingWorker, STOPPING, type Clock, type Log, type RoundResult } from '@switchboard/platform';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import {
  claimRetries,
  retryLines,
  type ClaimedAttempt,
  type RetryLine,
  type RetryLook,
} from '../dispatch/retry-claim.repository.js';
import { RetrySignal } from '../dispatch/retry-signal.js';
import { ReleasedLeases } from '../dispatch/released-leases.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { ClaimWindow } from './claim-window.js';
import { OrganizationWindows } from './organization-windows.js';

/** Attempts under way at once, at most; a claim is begun at once, so that its lease covers it. */
const UNDERWAY_MAX = 64;
/** Of them, those of one organization: whatever the upstream does with them, three others find room. */
const ORGANIZATION_MAX = UNDERWAY_MAX / 4;
/** Lines walked in a round. */
const LINES_MAX = 64;
/** While messages wait for their time. */
const WAITING_MS = 250;
/** While none does: those of a replica that has gone are found so much later. */
const IDLE_MS = 2_000;
/** After the first has ended, so long for others to end: they share the next claim. */
const GATHER_MS = 20;

/** Sends again what the upstream provably did not take, when its time has come; organizations take turns. */
@Injectable()
export class RetryDispatchWorker extends PollingWorker {
  /** Attempts under way by organization; entries are above 0. */
  private readonly underway = new Map<string, number>();
  private readonly window = new ClaimWindow(UNDERWAY_MAX);
  private readonly organizations = new OrganizationWindows(ORGANIZATION_MAX);
  private readonly floor = new LookFloor();
  private walkedTo: RetryLine | null = null;
  /** By channel: so that the conversations of a line take turns. */
  private readonly behind = new Map<string, string>();
  private readonly ended = new WakeSignal();

  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly journal: DispatchJournal,
    private readonly releasedLeases: ReleasedLeases,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
    private readonly signal: RetrySignal,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'dispatch.retry-failed' });
  }

  /** Does not wait for the attempts it begins: one that the upstream keeps open must not hold up the others. */
  protected async round(): Promise<RoundResult> {
    if (this.stopping.aborted) return false;
    const walkedTo = this.walkedTo;
    this.signal.hear();
    const floorMs = this.floor.begin(this.clock.monotonic());
    const look = await retryLines(this.database, walkedTo, LINES_MAX, floorMs);
    const { lines } = look;
    this.floor.move(look.floorMs, floorMs);
    if (lines.length > 0) this.signal.ignore();
    this.walkedTo = lines[LINES_MAX - 1] ?? null;
    // Behind the last line comes the first.
    if (lines.length === 0) return walkedTo !== null;
    const underway = [...this.underway.values()].reduce((sum, count) => sum + count, 0);
    const free = Math.max(this.window.size - underway, 0);
    const claimed = free > 0 ? await this.claim(look, free) : [];
    for (const attempt of claimed) void this.attempt(attempt);
    const isBusy = this.underway.size > 0;
    if (isBusy) await this.untilOneEnded();
    return (isBusy && !this.window.isProbe) || WAITING_MS;
  }

  private async claim({ lines, floorMs }: RetryLook, limit: number): Promise<ClaimedAttempt[]> {
    const lease = this.journal.newLease();
    try {
      const underway = this.organizations.taken(this.underway, this.clock.monotonic());
      const bounds = { limit, organizationMax: ORGANIZATION_MAX, underway, behind: this.behind, floorMs };
      const claimed = await claimRetries(this.database, lines, bounds, lease);
      this.behind.clear();
      for (const { channelId, contactId } of claimed) {
        if (contactId > (this.behind.get(channelId) ?? '')) this.behind.set(channelId, contactId);
      }
      return claimed;
    } catch (error) {
      this.releasedLeases.giveBack(lease);
      throw error;
    }
  }

  /** Never rejects: what is not recorded now is recorded later. */
  private async attempt(attempt: ClaimedAttempt): Promise<void> {
    const { organizationId, messageId, attempts, refusal } = attempt;
    this.underway.set(organizationId, this.count(attempt) + 1);
    try {
      if (refusal) return await this.dispatcher.refuse(attempt, refusal);
      const outcome = await this.dispatcher.attempt(attempt);
      this.learn(organizationId, outcome);
      this.log.info('message.retried', { organizationId, messageId, attempts, outcome: outcome.state });
    } catch (error) {
      this.log.error('dispatch.retry-failed', error, { organizationId, messageId });
    } finally {
      const left = this.count(attempt) - 1;
      if (left > 0) this.underway.set(organizationId, left);
      else this.underway.delete(organizationId);
      this.ended.wake();
    }
  }

  /** A full share is its organization's alone; what could not begin otherwise says something of the upstream. */
  private learn(organizationId: string, outcome: UpstreamOutcome): void {
    if (outcome.state === 'not-taken' && outcome.isShareFull) {
      return this.organizations.foundFull(organizationId, this.clock.monotonic());
    }
    const hasBegun = outcome.state !== 'not-taken' || outcome.retry !== 'not-begun';
    if (!hasBegun) return this.window.narrow();
    this.window.widen();
    this.organizations.begun(organizationId);
  }

  private count({ organizationId }: ClaimedAttempt): number {
    return this.underway.get(organizationId) ?? 0;
  }

  /** The first that ends makes room, or lets the next message of its conversation follow; others that end soon share the claim. */
  private async untilOneEnded(): Promise<void> {
    this.ended.clear();
    await this.ended.pause(WAITING_MS, this.stopping);
    await pause(GATHER_MS, this.stopping);
  }
}
