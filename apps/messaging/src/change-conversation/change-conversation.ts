import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Actor, Principal } from '@switchboard/contracts/grammar/principal';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationStatus, ConversationView } from '@switchboard/contracts/messaging/http';
import type { ChangeConversationRequest } from '@switchboard/contracts/messaging/rpc';
import { appendEvents, Relay } from '@switchboard/outbox';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import {
  isAllowedTransition,
  isSameState,
  type ConversationState,
} from '../conversation/conversation-status.policy.js';
import { conversationColumns, conversationView, type ConversationRow } from '../conversation/conversation-view.js';
import { moveEvent, openerOf } from '../conversation/move-event.js';
import { SnoozeSignal } from '../conversation/snooze-signal.js';

/** The conversation to move, its new state, and who moves it. */
interface MoveInput {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly id: string;
  readonly state: ConversationState;
}

/** The row's lock puts it in line with messages, other changes and the end of its snooze. */
const lockSql = statement<ConversationRow & { readonly eventSequence: string }>(
  'messaging.conversation.lock',
  `SELECT ${conversationColumns}, c.event_sequence AS "eventSequence"
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.id = $2
   FOR UPDATE OF c`,
);
const moveSql = statement(
  'messaging.conversation.move',
  `UPDATE conversation SET status = $3, snoozed_until = $4, event_sequence = $5,
     opened_by = CASE WHEN $3 = 'OPEN' THEN $6 ELSE opened_by END
   WHERE organization_id = $1 AND id = $2`,
);

/** Moves conversations by hand. */
@Injectable()
export class ChangeConversation {
  constructor(
    private readonly database: Database,
    @Inject(Relay) private readonly relay: Pick<Relay, 'wake'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(SnoozeSignal) private readonly snoozes: Pick<SnoozeSignal, 'wake'>,
  ) {}

  /**
   * Safe to repeat: a no-op update emits no event.
   *
   * @throws CONVERSATION_NOT_FOUND; INVALID_TRANSITION; VALIDATION_FAILED when `snoozedUntil` has passed
   */
  async execute({ organizationId, actor }: Principal, request: ChangeConversationRequest): Promise<ConversationView> {
    const startedMs = this.clock.monotonic();
    const { id, status } = request;
    const snoozedUntil = request.snoozedUntil === null ? null : new Date(request.snoozedUntil);
    if (snoozedUntil && snoozedUntil.getTime() <= this.clock.now()) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, '`snoozedUntil` must be in the future');
    }
    const input: MoveInput = { organizationId, actor, id, state: { status, snoozedUntil } };
    const { from, conversation } = await this.database.transaction((tx) => this.move(tx, input), {
      tenant: organizationId,
    });
    if (from !== null) {
      this.relay.wake();
      if (snoozedUntil) this.snoozes.wake();
      this.log.info('conversation.changed', {
        organizationId,
        conversationId: id,
        from,
        to: status,
        by: openerOf(actor),
        durationMs: Math.round(this.clock.monotonic() - startedMs),
      });
    }
    return conversationView(conversation);
  }

  /** @returns where it came from, null when it did not move, and how it is now */
  private async move(
    tx: Transaction,
    { organizationId, actor, id, state }: MoveInput,
  ): Promise<{ readonly from: ConversationStatus | null; readonly conversation: ConversationRow }> {
    const [locked] = await tx.query(lockSql, [organizationId, id]);
    if (!locked) throw new AppError(messagingErrors.CONVERSATION_NOT_FOUND);
    if (isSameState(locked, state)) return { from: null, conversation: locked };
    const { status: from } = locked;
    if (!isAllowedTransition(from, state.status)) {
      const message = `A conversation cannot move from ${from} to ${state.status}`;
      throw new AppError(serviceErrors.INVALID_TRANSITION, message);
    }
    const conversation: ConversationRow = { ...locked, ...state };
    const sequence = Number(locked.eventSequence) + 1;
    const at = new Date(this.clock.now());
    tx.atCommit(moveSql, [organizationId, id, state.status, state.snoozedUntil, sequence, openerOf(actor)]);
    appendEvents(tx, [moveEvent({ organizationId, conversation, from, by: actor, sequence, at })]);
    return { from, conversation };
  }
}
