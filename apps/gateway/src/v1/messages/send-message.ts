import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import {
  sendMessageOnceRpc,
  sendMessageRpc,
  type AnswerOnce,
  type SendMessageOnceRequest,
  type SendMessageRequest,
} from '@switchboard/contracts/messaging/rpc';
import { Budget, RpcClient, RpcUnanswered } from '@switchboard/nats';
import { CLOCK, type Clock } from '@switchboard/platform';
import { backoffMs } from '@switchboard/timing';

/** How long a caller waits at most: the budget of a send. */
const BUDGET_MS = 14_000;
const BACKOFF = { firstMs: 50, maxMs: 1_000 };
/** Less is not worth another question. */
const ASK_MIN_MS = 500;
/** A service that says that it cannot is believed after so many questions, unless a message may be stored. */
const REFUSALS_MAX = 3;

/** A message to send. */
export type MessageContent = Omit<SendMessageRequest, 'messageId'>;

/** Hands a message to messaging and finds out its outcome, however often an answer is lost. */
@Injectable()
export class SendMessage {
  constructor(
    @Inject(RpcClient) private readonly rpc: Pick<RpcClient, 'call'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() private readonly pause: (durationMs: number) => Promise<unknown> = wait,
  ) {}

  /**
   * Mints the message's id and asks by it until there is an answer: messaging is idempotent by it. The one owner of the
   * request's budget, and of its repetitions: what works for it reports (ADR 0032).
   *
   * @throws AppError as messaging refused it, with the id where the message may be stored all the same; SERVICE_UNAVAILABLE,
   * with the id as soon as the message may be stored
   */
  async send(principal: Principal, content: MessageContent): Promise<SentMessageResult> {
    return this.ask(sendMessageRpc, principal, { messageId: newCuid(), ...content });
  }

  /**
   * As `send`, once for all requests with a key.
   *
   * @param content null asks only for an answer that was given before
   * @returns null when there is none
   * @throws as `send`; CONFLICT
   */
  async sendOnce(
    principal: Principal,
    { keySha256, bodySha256, bodyBytesSha256 }: Omit<SendMessageOnceRequest, 'messageId' | 'content'>,
    content: MessageContent | null,
  ): Promise<AnswerOnce | null> {
    const hashes = { keySha256, bodySha256, ...(bodyBytesSha256 !== undefined && { bodyBytesSha256 }) };
    const request: SendMessageOnceRequest = { messageId: newCuid(), ...hashes, content };
    // Nothing is stored without content: there is nothing to find out.
    const { answer } = content
      ? await this.ask(sendMessageOnceRpc, principal, request)
      : await this.rpc.call(sendMessageOnceRpc, principal, request);
    return answer;
  }

  private async ask<Request extends { readonly messageId: string }, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request,
  ): Promise<Response> {
    const budget = new Budget(BUDGET_MS, this.clock);
    let mayBeStored = false;
    let isInDoubt = false;
    let refusals = 0;
    for (let tries = 1; ; tries++) {
      let failure: unknown;
      try {
        return await this.rpc.call(rpc, principal, request, { budget });
      } catch (error) {
        failure = error;
      }
      if (!(failure instanceof AppError) && !(failure instanceof RpcUnanswered)) throw failure;
      if (failure instanceof AppError && failure.status < 500) {
        throw isInDoubt ? naming(request.messageId, failure) : failure;
      }
      isInDoubt ||= failure instanceof AppError ? failure.messageId !== undefined : failure.effect === 'unknown';
      // A 5xx of messaging says nothing about what it had committed before.
      mayBeStored ||= isInDoubt || failure instanceof AppError;
      if (failure instanceof AppError) refusals++;
      const pauseMs = backoffMs(tries, BACKOFF);
      const isOver = budget.leftMs < pauseMs + ASK_MIN_MS;
      const isHopeless = (refusals >= REFUSALS_MAX && !isInDoubt) || isInternal(failure);
      if (isOver || isHopeless || !mayBeStored) throw giveUp(failure, mayBeStored ? request.messageId : undefined);
      await this.pause(pauseMs);
    }
  }
}

/** A verdict may overtake a COMMIT without an answer: the id lets the caller look whether the message exists after all. */
function naming(
  messageId: string,
  { definition, message, retryAfterSeconds, upstreamCode, cause }: AppError,
): AppError {
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const upstream = upstreamCode === undefined ? {} : { upstreamCode };
  return new AppError(definition, message, { messageId, cause, ...retry, ...upstream });
}

/** A 5xx never hides a send: the id lets the caller look whether the message exists. */
function giveUp(cause: unknown, messageId: string | undefined): AppError {
  const definition = isInternal(cause) ? serviceErrors.INTERNAL : serviceErrors.SERVICE_UNAVAILABLE;
  return new AppError(definition, undefined, {
    cause,
    ...(isInternal(cause) ? {} : { retryAfterSeconds: 1 }),
    ...(messageId === undefined ? {} : { messageId }),
  });
}

function isInternal(failure: unknown): boolean {
  return failure instanceof AppError && failure.code === serviceErrors.INTERNAL.code;
}
