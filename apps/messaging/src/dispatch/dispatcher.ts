import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { LOG, pause, systemClock, type Log } from '@switchboard/service';
import { AccessTokens } from '../channel/access-token.js';
import { Upstream, type UpstreamOutcome } from '../upstream/upstream.js';
import { dispatchMetrics } from './dispatch-metrics.js';
import type { Dispatch } from './dispatch.repository.js';
import { SettleDispatch } from './settle-dispatch.batch.js';

/** A marked attempt with all that the upstream needs. */
export interface Attempt extends Dispatch {
  readonly text: string;
  readonly phoneNumberId: string;
  readonly accessTokenSealed: Buffer;
  /** What the projection holds as the recipient's upstream id. */
  readonly contactMessagingId: string;
}

/** An attempt may begin for so long after it was marked; then its lease may end while it is under way. */
const BEGIN_WITHIN_MS = 10_000;
/** Error code of a message whose channel's token was sealed with another key. */
export const TOKEN_UNREADABLE = 'TOKEN_UNREADABLE';
const SETTLE_TRIES_MAX = 12;
const STOP_GRACE_MS = 3_000;

/** Makes marked attempts, each once, and records what came of them. */
@Injectable()
export class Dispatcher implements OnModuleDestroy {
  private readonly underway = new Set<Promise<unknown>>();
  private readonly abort = new AbortController();

  constructor(
    private readonly upstream: Upstream,
    private readonly settlements: SettleDispatch,
    private readonly tokens: AccessTokens,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * @param markedMs monotonic time before the transaction that marked the attempt
   * @returns what came of it, recorded; when it cannot be recorded for now, that goes on behind the scenes, and a
   * process that dies meanwhile leaves it UNKNOWN
   */
  async attempt(attempt: Attempt, markedMs: number): Promise<UpstreamOutcome> {
    const made = this.make(attempt, markedMs);
    this.track(made);
    return made;
  }

  /** Records an attempt that must not be made. */
  async refuse(attempt: Attempt, refusal: 'opted-out' | 'disconnected'): Promise<void> {
    const code = refusal === 'opted-out' ? 'CONTACT_OPTED_OUT' : 'UPSTREAM_NOT_CONNECTED';
    const message = refusal === 'opted-out' ? 'the contact has opted out' : 'the channel is not connected';
    await this.record(attempt, { state: 'refused', kind: 'rejected', code, message });
  }

  /** Waits 3 s for attempts under way, then gives up on their answers: those become UNKNOWN. */
  async onModuleDestroy(): Promise<void> {
    const deadline = new AbortController();
    const all = Promise.allSettled(this.underway);
    await Promise.race([all, pause(STOP_GRACE_MS, deadline.signal)]);
    deadline.abort();
    this.abort.abort();
    await Promise.allSettled(this.underway);
    await this.upstream.close();
  }

  private async make(attempt: Attempt, markedMs: number): Promise<UpstreamOutcome> {
    const outcome = await this.ask(attempt, markedMs);
    await this.record(attempt, outcome);
    this.identify(attempt, outcome);
    return outcome;
  }

  /** Records what came of an attempt, now or behind the scenes. */
  private async record(attempt: Attempt, outcome: UpstreamOutcome): Promise<void> {
    try {
      await this.settlements.execute(attempt, outcome);
    } catch (error) {
      this.log.error('dispatch.settle-delayed', error, { messageId: attempt.messageId });
      this.track(this.settleLater(attempt, outcome));
    }
  }

  private async ask(attempt: Attempt, markedMs: number): Promise<UpstreamOutcome> {
    if (systemClock.monotonic() - markedMs > BEGIN_WITHIN_MS) {
      const message = 'the process stood still before the attempt';
      return { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', message, retry: 'normal' };
    }
    const { phoneNumberId, recipientPhone: to, text, messageId: reference } = attempt;
    const accessToken = this.openToken(attempt);
    if (accessToken === null) {
      const message = 'the access token of the channel cannot be read; connect the channel again';
      return { state: 'refused', kind: 'disconnected', code: TOKEN_UNREADABLE, message };
    }
    return this.upstream.sendText({ phoneNumberId, accessToken, to, text, reference }, this.abort.signal);
  }

  /** Null when it was sealed with another key: nothing may be left hanging in doubt for that. */
  private openToken({ accessTokenSealed, channelId }: Attempt): string | null {
    try {
      return this.tokens.open(accessTokenSealed);
    } catch (error) {
      this.log.error('channel.token-unreadable', error, { channelId });
      return null;
    }
  }

  /** About a minute of tries; what is not recorded by then is found as UNKNOWN when the lease ends. */
  private async settleLater(attempt: Attempt, outcome: UpstreamOutcome): Promise<void> {
    for (let tried = 0; tried < SETTLE_TRIES_MAX && !this.abort.signal.aborted; tried++) {
      try {
        await pause(Math.min(200 * 2 ** tried, 8_000) * (0.75 + Math.random() / 2), this.abort.signal);
        await this.settlements.execute(attempt, outcome);
        dispatchMetrics().settledLate();
        return;
      } catch (error) {
        this.log.error('dispatch.settle-delayed', error, { messageId: attempt.messageId, tried });
      }
    }
  }

  /** Tells the contacts service the upstream's id of a recipient, where it is news; the next send tells it again. */
  private identify(attempt: Attempt, outcome: UpstreamOutcome): void {
    if (outcome.state !== 'accepted' || outcome.messagingId === null) return;
    if (outcome.messagingId === attempt.contactMessagingId) return;
    const sightings = [{ phone: attempt.recipientPhone, profileName: null, messagingId: outcome.messagingId }];
    const told = this.rpc
      .call(resolveContactsRpc, systemPrincipal(attempt.organizationId, 'dispatch'), { sightings })
      .catch((error: unknown) => this.log.error('dispatch.identify-failed', error, { messageId: attempt.messageId }));
    this.track(told);
  }

  private track(work: Promise<unknown>): void {
    this.underway.add(work);
    const forget = (): void => void this.underway.delete(work);
    work.then(forget, forget);
  }
}
