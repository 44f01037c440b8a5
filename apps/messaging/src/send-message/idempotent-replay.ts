import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { SentMessageResult } from '@switchboard/contracts/messaging/http';
import { TOKEN_UNREADABLE } from '../channel/access-token.js';
import { isDispatching } from '../dispatch/dispatch.repository.js';
import type { Message } from '../message/message.entity.js';
import { MessageRepository } from '../message/message.repository.js';
import type { Budget } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { STOPPING } from '@switchboard/platform';
import { pause } from '@switchboard/timing';
import { outcomeOfError, TOKEN_REFUSED } from '../upstream/cloud-errors.policy.js';
import { refusalOf } from './send-refusal.policy.js';

const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 6_000;
/** Kept of the budget for the last look. */
const LAST_LOOK_MS = 500;

/** Answers a repeated send with the outcome of the first, waiting a little while its attempt is under way. */
@Injectable()
export class IdempotentReplay {
  constructor(
    private readonly messages: MessageRepository,
    private readonly database: Database,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
  ) {}

  /** @throws as the first send was refused; MESSAGE_NOT_FOUND when there is none */
  async of(organizationId: string, messageId: string, budget: Budget): Promise<SentMessageResult> {
    const untilLeftMs = Math.max(budget.leftMs - LOOK_FOR_MS, LAST_LOOK_MS);
    while (budget.leftMs > untilLeftMs && !this.stopping.aborted) {
      if (!(await this.isOpen(organizationId, messageId))) break;
      await pause(LOOK_EVERY_MS, this.stopping);
    }
    return this.byNow(organizationId, messageId);
  }

  /** Whether the message's attempt is under way. */
  async isOpen(organizationId: string, messageId: string): Promise<boolean> {
    return isDispatching(this.database, organizationId, messageId);
  }

  /** What the message's state says now. @throws as the first send was refused; MESSAGE_NOT_FOUND when there is none */
  async byNow(organizationId: string, messageId: string): Promise<SentMessageResult> {
    const message = await this.messages.find(organizationId, messageId);
    if (!message) throw new AppError(messagingErrors.MESSAGE_NOT_FOUND);
    const refusal = refusalOfStored(message);
    if (refusal) throw refusal;
    const { id, conversationId, contactId, upstreamMessageId } = message;
    return { id, conversationId, contactId, upstreamMessageId };
  }
}

/** The refusal that the first caller got; a failure that was reported later was a 200 to them, and is one here. */
function refusalOfStored(message: Message): AppError | null {
  const { status, sentAt, errorCode, errorMessage, id } = message;
  if (status !== 'FAILED' || sentAt || errorCode === null) return null;
  const text = errorMessage ?? '';
  // A message whose token does not open waits; the release before had it fail.
  if (errorCode === TOKEN_UNREADABLE || errorCode === TOKEN_REFUSED.code) {
    return refusalOf('disconnected', errorCode, text, id);
  }
  const outcome = outcomeOfError({ code: Number(errorCode), message: text }, 400);
  if (outcome.state !== 'refused' || Number.isNaN(Number(errorCode))) return null;
  return refusalOf(outcome.kind, outcome.code, outcome.message, id);
}
