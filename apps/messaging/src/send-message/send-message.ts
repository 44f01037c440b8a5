import { Inject, Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { invalidPhone, messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import type { SendMessageRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, type Budget } from '@switchboard/nats';
import { needsRegion, parsePhone } from '@switchboard/phone';
import { LOG, STOPPING, systemClock, type Log } from '@switchboard/platform';
import { ChannelRepository } from '../channel/channel.repository.js';
import { LearnContact } from '../contact/learn-contact.batch.js';
import { DispatchJournal } from '../dispatch/dispatch-journal.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import type { KeyClaim } from '../idempotency-key/idempotency-key.repository.js';
import { quotaRefusalOf } from '../quota/quota.repository.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { AcceptMessage, type AcceptRequest, type AcceptResult } from './accept-message.batch.js';
import { IdempotentReplay } from './idempotent-replay.js';
import { sendMetrics } from './send-metrics.js';
import { refusalOf } from './send-refusal.policy.js';

/** How long the caller waits for the upstream. Source: docs/api-behaviour.md#messages-outcomes. */
const ANSWER_WITHIN_MS = 5_000;
/** How long, while the service is stopping: callers must be answered before open requests are given up. */
const STOPPING_ANSWER_WITHIN_MS = 2_500;
/** Kept of the budget for what follows the upstream's answer: the record of it, and the answer under a key. */
const RECORD_WITHIN_MS = 500;
/** A contact that is unknown again each time changes faster than it can be learnt. */
const LEARNT_MAX = 3;

type Accepted = Extract<AcceptResult, { verdict: 'accepted' }>;

/** The key that a send claimed belongs to another message. */
export type KeyConflict = Extract<AcceptResult, { verdict: 'conflict' }>;

/** Accepts a text, hands it to the upstream once, and answers what came of it. */
@Injectable()
export class SendMessage {
  private readonly metrics = sendMetrics();

  constructor(
    private readonly accept: AcceptMessage,
    private readonly dispatcher: Dispatcher,
    private readonly journal: DispatchJournal,
    private readonly channels: ChannelRepository,
    private readonly learn: LearnContact,
    private readonly rpc: RpcClient,
    private readonly idempotentReplay: IdempotentReplay,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Idempotent by the message's id: the owner of the budget repeats, and nothing here does. What the budget cuts short
   * after the message is stored goes on without its caller: the attempt, and the record of what came of it.
   *
   * @throws CHANNEL_NOT_FOUND, UPSTREAM_NOT_CONNECTED, INVALID_PHONE, CONTACT_OPTED_OUT, PAYMENT_REQUIRED before anything is
   * stored; SERVICE_UNAVAILABLE, with the message's id when it may be; UPSTREAM_REJECTED, UPSTREAM_NOT_CONNECTED,
   * CONTACT_OPTED_OUT with the message's id after the upstream refused it
   */
  async execute(principal: Principal, request: SendMessageRequest, budget: Budget): Promise<SentMessageResult> {
    const sent = await this.underKey(principal, request, undefined, budget);
    if ('owner' in sent) throw new Error('a key conflict of a send without a key');
    return sent;
  }

  /** As `execute`, with a key that the message takes when it is stored. @returns the key's owner when that is another message */
  async underKey(
    principal: Principal,
    request: SendMessageRequest,
    claim: KeyClaim | undefined,
    budget: Budget,
  ): Promise<SentMessageResult | KeyConflict> {
    const startedMs = systemClock.monotonic();
    const accepted = await this.acceptOnce(principal, request, claim, budget);
    if (accepted.verdict === 'conflict') return accepted;
    if (accepted.verdict === 'repeated') {
      return this.idempotentReplay.of(principal.organizationId, request.messageId, budget);
    }
    const { conversationId, attempt, waits } = accepted;
    const outcome = waits ? null : await this.waitForOutcome(this.dispatcher.attemptFirst(attempt), budget);
    const state = outcome?.state ?? (waits ? 'waiting' : 'slow');
    const durationMs = systemClock.monotonic() - startedMs;
    this.metrics.answered(state, durationMs);
    this.log.info('message.accepted', {
      organizationId: principal.organizationId,
      messageId: attempt.messageId,
      channelId: attempt.channelId,
      outcome: state,
      durationMs: Math.round(durationMs),
    });
    if (outcome?.state === 'refused') throw refusalOf(outcome.kind, outcome.code, outcome.message, attempt.messageId);
    return {
      id: attempt.messageId,
      conversationId,
      contactId: attempt.contactId,
      upstreamMessageId: outcome?.state === 'accepted' ? outcome.upstreamMessageId : null,
    };
  }

  /** Learns the contact of a phone that messaging has never seen, and ends with the budget. */
  private async acceptOnce(
    principal: Principal,
    request: SendMessageRequest,
    claim: KeyClaim | undefined,
    budget: Budget,
  ): Promise<Accepted | KeyConflict | { readonly verdict: 'repeated' }> {
    const { organizationId } = principal;
    const phone = await this.readPhone(organizationId, request);
    const { messageId, messagingChannelId: channelId, text } = request;
    const lease = this.journal.newLease();
    const messagesPerMonth = request.messagesPerMonth ?? null;
    const [clientReference, metadata] = [request.clientReference ?? null, request.metadata ?? null];
    const parts = { text, clientReference, metadata };
    const item: AcceptRequest = {
      organizationId,
      messageId,
      channelId,
      phone,
      ...parts,
      messagesPerMonth,
      lease,
      claim,
    };
    for (let learnt = 0; ; learnt++) {
      const result = await this.accept.execute(item, budget.signal);
      if (result.verdict === 'accepted' || result.verdict === 'repeated' || result.verdict === 'conflict')
        return result;
      if (result.verdict === 'quota-used-up') this.metrics.quotaRefused();
      if (result.verdict !== 'contact-unknown' || !phone) throw refusalBefore(result.verdict, item);
      // Reported: the owner of the budget repeats the request.
      if (learnt === LEARNT_MAX) {
        throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
      }
      await this.learnContact(principal, phone, budget);
    }
  }

  /** E.164, or null for what is no phone number; only a national form costs a look at the channel. */
  private async readPhone(organizationId: string, request: SendMessageRequest): Promise<string | null> {
    if (!needsRegion(request.to)) return parsePhone(request.to)?.phone ?? null;
    const channel = await this.channels.find(organizationId, request.messagingChannelId);
    return channel && (parsePhone(request.to, channel.defaultRegion)?.phone ?? null);
  }

  /** The outcome, or null when it takes longer than the caller waits; it is recorded all the same. */
  private async waitForOutcome(outcome: Promise<UpstreamOutcome>, budget: Budget): Promise<UpstreamOutcome | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const endLater = (limitMs: number): NodeJS.Timeout => setTimeout(() => resolve(null), limitMs);
    const timers = [endLater(Math.min(ANSWER_WITHIN_MS, budget.leftMs - RECORD_WITHIN_MS))];
    const onStop = (): void => void timers.push(endLater(STOPPING_ANSWER_WITHIN_MS));
    if (this.stopping.aborted) onStop();
    this.stopping.addEventListener('abort', onStop);
    try {
      return await Promise.race([outcome, promise]);
    } finally {
      timers.forEach(clearTimeout);
      this.stopping.removeEventListener('abort', onStop);
    }
  }

  /** One rpc for a phone that messaging has never seen; without an answer nothing is stored. */
  private async learnContact(principal: Principal, phone: string, budget: Budget): Promise<void> {
    const sightings = [{ phone, profileName: null, messagingId: null, hasNoOwner: true }];
    const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings }, { budget });
    const { organizationId } = principal;
    await Promise.all(contacts.map((contact) => this.learn.execute({ organizationId, contact }, budget.signal)));
  }
}

function refusalBefore(
  verdict: Exclude<AcceptResult['verdict'], 'accepted' | 'repeated' | 'conflict'>,
  { messageId, messagesPerMonth }: AcceptRequest,
): AppError {
  switch (verdict) {
    case 'channel-not-found':
      return new AppError(
        messagingErrors.CHANNEL_NOT_FOUND,
        '`messagingChannelId` names no channel of the organization',
      );
    case 'not-connected':
      return new AppError(messagingErrors.UPSTREAM_NOT_CONNECTED);
    case 'opted-out':
      return new AppError(messagingErrors.CONTACT_OPTED_OUT);
    case 'quota-used-up':
      return new AppError(serviceErrors.PAYMENT_REQUIRED, quotaRefusalOf(messageId, messagesPerMonth ?? 0));
    default:
      return new AppError(messagingErrors.INVALID_PHONE, invalidPhone('to'));
  }
}
