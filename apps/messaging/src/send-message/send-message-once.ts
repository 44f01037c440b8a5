import { Inject, Injectable } from '@nestjs/common';
import { AppError, envelopeOf } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import { sendMessageOnceRpc, type AnswerOnce, type SendMessageOnceRequest } from '@switchboard/contracts/messaging/rpc';
import type { Budget } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { LOG, type Log } from '@switchboard/platform';
import { findKeys, type GivenAnswer, type TakenKey } from '../idempotency-key/idempotency-key.repository.js';
import { StoreResponse } from '../idempotency-key/store-response.batch.js';
import { IdempotentReplay } from './idempotent-replay.js';
import { SendMessage } from './send-message.js';

/**
 * Milliseconds after its commit by when the first request has its own answer: the upstream has 5 s. Who died meanwhile
 * is answered for, as a slow upstream is.
 */
const OWN_ANSWER_WITHIN_MS = sendMessageOnceRpc.deadlineMs;

/** Sends a text once, however many requests name its key: all of them are given the same answer. */
@Injectable()
export class SendMessageOnce {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly idempotentReplay: IdempotentReplay,
    private readonly storeResponse: StoreResponse,
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * An answer is stored before it is given, and never changed: no caller gets another.
   *
   * @returns null when there is no content and no answer
   * @throws as `SendMessage` before anything is stored; CONFLICT
   */
  async execute(principal: Principal, request: SendMessageOnceRequest, budget: Budget): Promise<AnswerOnce | null> {
    const { organizationId } = principal;
    const { messageId, content, keySha256, bodySha256 } = request;
    if (!content) {
      const { taken } = await findKeys(this.database, [{ organizationId, keySha256 }]);
      const [owner] = taken;
      return owner ? this.replay(owner, request, budget) : null;
    }
    const send = this.sendMessage.underKey(principal, { messageId, ...content }, { keySha256, bodySha256 }, budget);
    const answer = await send.then((sent) => ('owner' in sent ? sent : answerOf(sent)), answerOfRefusal);
    if ('owner' in answer) return this.replay(answer.owner, request, budget);
    const given = await this.storeResponse.execute({ organizationId, keySha256, messageId, answer }, budget.signal);
    return { ...given, messageId, isReplay: false };
  }

  private async replay(owner: TakenKey, request: SendMessageOnceRequest, budget: Budget): Promise<AnswerOnce> {
    const { organizationId, messageId } = owner;
    if (![request.bodySha256, request.bodyBytesSha256].includes(owner.bodySha256)) {
      const message = 'The `Idempotency-Key` was used for a request with another body; use another key';
      throw new AppError(serviceErrors.CONFLICT, message);
    }
    const given = owner.answer ?? (await this.answerInPlace(owner, budget));
    this.log.info('message.replayed', { organizationId, messageId, status: given.status, isDerived: !owner.answer });
    return { ...given, messageId, isReplay: true };
  }

  /** For a first request that does not answer any more: the outcome of its message. */
  private async answerInPlace(owner: TakenKey, budget: Budget): Promise<GivenAnswer> {
    const { organizationId, messageId, ageMs } = owner;
    if (ageMs < OWN_ANSWER_WITHIN_MS && (await this.idempotentReplay.isOpen(organizationId, messageId))) {
      const message =
        'The first request with this `Idempotency-Key` is still in flight; repeat the request after `Retry-After`';
      throw new AppError(serviceErrors.CONFLICT, message, { retryAfterSeconds: 1 });
    }
    const answer = await this.idempotentReplay.byNow(organizationId, messageId).then(answerOf, answerOfRefusal);
    return this.storeResponse.execute({ ...owner, answer }, budget.signal);
  }
}

function answerOf({ id, conversationId, contactId, upstreamMessageId }: SentMessageResult): GivenAnswer {
  return { status: 200, body: JSON.stringify({ id, conversationId, contactId, upstreamMessageId }) };
}

/** @throws the error itself when it is no refusal of a stored message: then nothing is stored, or nothing known */
function answerOfRefusal(error: unknown): GivenAnswer {
  if (!(error instanceof AppError) || error.status >= 500 || error.messageId === undefined) throw error;
  const { status, upstreamCode } = error;
  return { status, body: envelopeOf(error), ...(upstreamCode !== undefined && { upstreamCode }) };
}
