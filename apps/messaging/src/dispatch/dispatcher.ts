import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import {
  ALL_CHANNELS,
  type ContactFacts,
  type ContactSighting,
  resolveContactsRpc,
} from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { activeTraceparent, Budget, RpcClient } from '@switchboard/nats';
import { SharedPause } from '@switchboard/timing';
import { CLOCK, LOG, STOPPING, type Clock, type Log } from '@switchboard/platform';
import { AccessTokens, readToken, tokenUnreadable } from '../channel/access-token.js';
import { Upstream, type UpstreamOutcome } from '../upstream/upstream.js';
import { InteractiveBegins } from '../bulk-lane/interactive-begins.js';
import { ConversationTurns, type TurnEnd } from './conversation-turns.js';
import { ERASED_FAILURE } from '../erase-messages/erasure.policy.js';
import { BEGIN_WITHIN_MS, type Attempt, type AttemptLane, type AttemptRefusal } from './dispatch.entity.js';
import { DispatchJournal } from './dispatch-journal.js';
import { dispatchMetrics } from './dispatch-metrics.js';
import { LaneTurns } from './lane-turns.js';
import { SettlementRetryQueue } from './settlement-retry-queue.js';
import { SettleDispatch } from './settle-dispatch.batch.js';

/**
 * From the signal to stop until open requests are given up as unknown: more than 3 s, which a working upstream may take,
 * and early enough to record them before the connections are closed (5 s after the signal).
 */
const STOP_GRACE_MS = 3_500;

/** How long contacts is asked about a recipient: a process that stops waits for the answer, and has 5 s for everything. */
const CONTACTS_WITHIN_MS = 2_500;

const BEHIND_ANOTHER: UpstreamOutcome = {
  state: 'not-taken',
  code: 'UPSTREAM_UNREACHABLE',
  message: 'an earlier message of the conversation is still to be sent',
  retry: 'not-begun',
};
/** Of a bulk send: its slot passed before it could begin. */
const TURN_MISSED: UpstreamOutcome = {
  state: 'not-taken',
  code: 'UPSTREAM_UNREACHABLE',
  message: 'its turn in the lane passed before it could begin',
  retry: 'not-begun',
};
const OWNER_UNKNOWN: UpstreamOutcome = {
  state: 'not-taken',
  code: 'UPSTREAM_UNREACHABLE',
  message: 'whose the number is by now is not known',
  retry: 'normal',
};
/** Nothing says that the provider refuses the token: a process with a wrong key must not disconnect every channel. */
const KEY_AWAITED: UpstreamOutcome = { state: 'not-taken', ...tokenUnreadable, retry: 'normal' };
/** No caller waits for the record of an attempt of a bulk send: those that end within so long share a transaction. */
const LANE_RECORDS_MS = 100;
const REFUSALS: Readonly<Record<AttemptRefusal, { readonly code: string; readonly message: string }>> = {
  erased: ERASED_FAILURE,
  disconnected: { code: 'UPSTREAM_NOT_CONNECTED', message: 'the channel is not connected' },
  'opted-out': { code: 'CONTACT_OPTED_OUT', message: 'the contact has opted out' },
};
type Settle = (end: TurnEnd) => void;

/** How an attempt begins, beyond what holds for all. */
interface Begin {
  /** Monotonic milliseconds. */
  readonly beginByMs: number;
  /** Right before its first byte leaves. */
  readonly onBegin: () => void;
}

/** Makes marked attempts, each once, and records what came of them. */
@Injectable()
export class Dispatcher implements OnModuleDestroy {
  private readonly underway = new Set<Promise<unknown>>();
  private readonly settlementRetries: SettlementRetryQueue;
  private readonly turns = new ConversationTurns();
  private readonly lanes: LaneTurns;
  private readonly laneRecords: SharedPause;
  private readonly giveUp = new AbortController();
  private stopTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly upstream: Upstream,
    private readonly settlements: SettleDispatch,
    private readonly tokens: AccessTokens,
    private readonly journal: DispatchJournal,
    private readonly rpc: RpcClient,
    private readonly begins: InteractiveBegins,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.settlementRetries = new SettlementRetryQueue(settlements, log);
    this.lanes = new LaneTurns(clock);
    this.laneRecords = new SharedPause(LANE_RECORDS_MS, stopping);
    // Not in `onModuleDestroy`: rpcs are drained before, and callers may wait in them as long as requests are open.
    stopping.addEventListener('abort', () => this.startStopClock(), { once: true });
  }

  /**
   * @returns what came of it, recorded; when it cannot be recorded for now, that goes on behind the scenes, and a
   * process that dies meanwhile leaves it UNKNOWN
   */
  async attempt(attempt: Attempt): Promise<UpstreamOutcome> {
    const made = this.askFirst(attempt, () => this.make(attempt, () => undefined));
    this.track(made);
    return made;
  }

  /** As `attempt`, for the first of a message: after those that entered before it of its conversation. */
  async attemptFirst(attempt: Attempt): Promise<UpstreamOutcome> {
    const { isFree, settle } = this.turns.enter(attempt);
    const made = isFree === true ? this.make(attempt, settle) : this.makeAfter(isFree, attempt, settle);
    // A defect must not hold up the conversation.
    void made.catch(() => settle('begun'));
    this.track(made);
    return made;
  }

  /** As `attempt`, for one of a bulk send: at its slot, behind those before it in its lane. */
  async attemptInLane(attempt: Attempt, lane: AttemptLane): Promise<UpstreamOutcome> {
    const made = this.askFirst(attempt, () => this.makeInLane(attempt, lane));
    this.track(made);
    return made;
  }

  /** Records an attempt that must not be made. */
  async refuse(attempt: Attempt, refusal: AttemptRefusal): Promise<void> {
    const recorded = this.record(attempt, { state: 'refused', kind: 'rejected', ...REFUSALS[refusal] });
    this.track(recorded);
    await recorded;
  }

  /** Returns when every attempt under way is recorded; those still open 3.5 s after the stop began are UNKNOWN. */
  async onModuleDestroy(): Promise<void> {
    this.startStopClock();
    while (this.underway.size > 0) await Promise.allSettled(this.underway);
    clearTimeout(this.stopTimer);
    const isAllRecorded = await this.settlementRetries.stop();
    await this.upstream.close();
    await this.journal.close({ isAllRecorded });
  }

  private startStopClock(): void {
    this.stopTimer ??= setTimeout(() => this.giveUp.abort(), STOP_GRACE_MS);
  }

  /**
   * A number that its contact has given up may be held opted out at contacts, as a new send to it would learn: whoever has it next is judged.
   * An opt-out call that comes behind the answer finds the mark, and waits for it.
   */
  private async askFirst(attempt: Attempt, make: () => Promise<UpstreamOutcome>): Promise<UpstreamOutcome> {
    const refusal = attempt.hasNoOwner ? await this.refusalOfOwner(attempt) : null;
    if (!refusal) return make();
    await this.record(attempt, refusal);
    return refusal;
  }

  private async refusalOfOwner({
    organizationId,
    channelId,
    messageId,
    recipientPhone: phone,
  }: Attempt): Promise<UpstreamOutcome | null> {
    const sightings = [{ phone, profileName: null, messagingId: null, hasNoOwner: true }];
    try {
      const { contacts } = await this.askContacts(organizationId, sightings);
      const optOuts = contacts.flatMap((contact) => contact.optOuts ?? []);
      const isOptedOut = optOuts.some((optOut) => [channelId, ALL_CHANNELS].includes(optOut.channelId));
      return isOptedOut ? { state: 'refused', kind: 'rejected', ...REFUSALS['opted-out'] } : null;
    } catch (error) {
      this.log.error('dispatch.owner-unknown', error, { messageId });
      return OWNER_UNKNOWN;
    }
  }

  private async makeAfter(isFree: Promise<boolean>, attempt: Attempt, settle: Settle): Promise<UpstreamOutcome> {
    if (await isFree) return this.make(attempt, settle);
    settle('not-begun');
    await this.record(attempt, BEHIND_ANOTHER);
    return BEHIND_ANOTHER;
  }

  private async makeInLane(attempt: Attempt, lane: AttemptLane): Promise<UpstreamOutcome> {
    const turn = await this.lanes.take(attempt.organizationId, lane, this.stopping);
    if (!turn) {
      await this.record(attempt, TURN_MISSED);
      return TURN_MISSED;
    }
    const begin = { beginByMs: turn.beginByMs, onBegin: () => turn.begin() };
    const outcome = await this.ask(attempt, begin).finally(() => turn.end());
    await this.record(attempt, outcome);
    this.identify(attempt, outcome);
    return outcome;
  }

  private async make(attempt: Attempt, settle: Settle): Promise<UpstreamOutcome> {
    const onBegin = (): void => {
      // Of its conversation's line: the next may follow.
      settle('begun');
      this.begins.note(attempt);
    };
    const outcome = await this.ask(attempt, { beginByMs: Infinity, onBegin });
    // Before it is recorded: those behind it must not wait for that.
    settle(outcome.state === 'not-taken' ? 'not-begun' : 'begun');
    await this.record(attempt, outcome);
    this.identify(attempt, outcome);
    return outcome;
  }

  /** Records what came of an attempt, now or behind the scenes; never rejects. */
  private async record(attempt: Attempt, outcome: UpstreamOutcome): Promise<void> {
    const knownAt = new Date(this.clock.now());
    const settlement = { attempt, outcome, knownAt, traceparent: activeTraceparent() };
    if (attempt.lane) await this.laneRecords.wait();
    try {
      await this.settlements.execute(settlement);
    } catch (error) {
      this.log.error('dispatch.settle-delayed', error, { messageId: attempt.messageId });
      this.settlementRetries.keep(settlement);
    }
  }

  private async ask(attempt: Attempt, begin: Begin): Promise<UpstreamOutcome> {
    const { organizationId, phoneNumberId, recipientPhone: to, text, template, messageId: reference } = attempt;
    const accessToken = readToken(this.tokens, this.log, attempt.accessTokenSealed, attempt);
    if (accessToken === null) {
      dispatchMetrics().tokenUnreadable();
      return KEY_AWAITED;
    }
    const beginByMs = Math.min(attempt.markedMs + BEGIN_WITHIN_MS, begin.beginByMs);
    const onBegin = (): void => {
      this.journal.begin(attempt);
      begin.onBegin();
    };
    const limits = { beginByMs, onBegin, noneBegins: this.stopping, giveUp: this.giveUp.signal };
    const isBackground = attempt.lane !== null;
    const message = { organizationId, phoneNumberId, accessToken, to, reference, isBackground };
    if (template) return this.upstream.sendTemplate({ ...message, template }, limits);
    return this.upstream.sendText({ ...message, text }, limits);
  }

  /**
   * Reports the upstream's id of a recipient to contacts where it is new, for the contact that was sent to; after a failure the next
   * send reports it again.
   */
  private identify(attempt: Attempt, outcome: UpstreamOutcome): void {
    if (this.stopping.aborted) return;
    if (outcome.state !== 'accepted' || outcome.messagingId === null) return;
    if (outcome.messagingId === attempt.contactMessagingId) return;
    const { organizationId, contactId, recipientPhone: phone, messageId } = attempt;
    const sightings = [{ contactId, phone, profileName: null, messagingId: outcome.messagingId }];
    const identified = this.askContacts(organizationId, sightings).catch((error: unknown) => {
      // Erased since it was sent to.
      if (error instanceof AppError && error.code === contactsErrors.CONTACT_NOT_FOUND.code) return;
      this.log.error('dispatch.identify-failed', error, { messageId });
    });
    this.track(identified);
  }

  private askContacts(
    organizationId: string,
    sightings: readonly ContactSighting[],
  ): Promise<{ readonly contacts: readonly ContactFacts[] }> {
    const budget = new Budget(CONTACTS_WITHIN_MS);
    return this.rpc.call(resolveContactsRpc, systemPrincipal(organizationId, 'dispatch'), { sightings }, { budget });
  }

  private track(work: Promise<unknown>): void {
    this.underway.add(work);
    const forget = (): void => void this.underway.delete(work);
    work.then(forget, forget);
  }
}
