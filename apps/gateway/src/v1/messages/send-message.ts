import { setTimeout as wait } from 'node:timers/promises';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import {
  sendMessageOnceRpc,
  sendMessageRpc,
  type AnswerOnce,
  type SendMessageOnceRequest,
  type SendMessageRequest,
} from '@switchboard/contracts/messaging/rpc';
import { RpcUnanswered, type RpcClient } from '@switchboard/nats';
import type { Clock } from '@switchboard/platform';
import { jittered } from '@switchboard/timing';

/** How long a caller waits at most. */
const OVERALL_MS = 14_000;
/** Less is not worth another question. */
const ASK_MIN_MS = 500;
/** A service that says that it cannot is believed after so many questions; one that says nothing is asked on. */
const REFUSALS_MAX = 3;

/** What a caller wants to be sent. */
export type MessageContent = Omit<SendMessageRequest, 'messageId'>;

/** Hands a message to messaging and finds out what became of it, however often an answer is lost. */
export class SendMessage {
  constructor(
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly clock: Clock,
    private readonly pause: (durationMs: number) => Promise<unknown> = wait,
  ) {}

  /**
   * Mints the message's id and asks by it until there is an answer: messaging is idempotent by it.
   *
   * @throws AppError as messaging refused it; SERVICE_UNAVAILABLE, with the id as soon as the message may be stored
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
    { keySha256, bodySha256 }: Pick<SendMessageOnceRequest, 'keySha256' | 'bodySha256'>,
    content: MessageContent | null,
  ): Promise<AnswerOnce | null> {
    const request: SendMessageOnceRequest = { messageId: newCuid(), keySha256, bodySha256, content };
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
    const deadlineMs = this.clock.monotonic() + OVERALL_MS;
    let mayBeStored = false;
    let refusals = 0;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const leftMs = deadlineMs - this.clock.monotonic();
      let failure: unknown;
      try {
        const limits = { deadlineMs: Math.min(leftMs, rpc.deadlineMs), patienceMs: leftMs };
        return await this.rpc.call(rpc, principal, request, limits);
      } catch (error) {
        failure = error;
      }
      if (!(failure instanceof AppError) && !(failure instanceof RpcUnanswered)) throw failure;
      if (failure instanceof AppError && failure.status < 500) throw failure;
      // A 5xx of messaging says nothing about what it had committed before.
      mayBeStored ||= failure instanceof AppError || failure.effect === 'unknown';
      if (failure instanceof AppError) refusals++;
      const isOver = deadlineMs - this.clock.monotonic() < pauseMs + ASK_MIN_MS;
      const isHopeless = refusals >= REFUSALS_MAX || isInternal(failure);
      if (isOver || isHopeless || !mayBeStored) throw giveUp(failure, mayBeStored ? request.messageId : undefined);
      await this.pause(jittered(pauseMs));
    }
  }
}

/** A 5xx never hides a send: the id lets the caller look whether the message exists. */
function giveUp(cause: unknown, messageId: string | undefined): AppError {
  const definition = isInternal(cause) ? gatewayErrors.INTERNAL : gatewayErrors.SERVICE_UNAVAILABLE;
  return new AppError(definition, undefined, {
    cause,
    ...(isInternal(cause) ? {} : { retryAfterSeconds: 1 }),
    ...(messageId === undefined ? {} : { messageId }),
  });
}

function isInternal(failure: unknown): boolean {
  return failure instanceof AppError && failure.code === gatewayErrors.INTERNAL.code;
}
