import { statement, type Database } from '@switchboard/postgres';
import type { AttemptOutcome } from '../attempt-outcome/attempt-outcome.repository.js';
import { messageColumns } from '../message/message-columns.js';
import type { MessageRow } from '../message/message-view.js';

/** The dispatch of a message whose outcome is open. */
export interface OpenDispatch {
  readonly state: 'DISPATCHING' | 'RETRY' | 'PACED' | 'UNKNOWN';
  readonly attempts: number;
}

/** What is stored about the steps of a message, as it stood at one moment. */
export interface TimelineFacts {
  readonly message: MessageRow;
  /** In the order of their ends. */
  readonly outcomes: readonly AttemptOutcome[];
  /** Null when the outcome is settled. */
  readonly open: OpenDispatch | null;
}

type StoredOutcome = Omit<AttemptOutcome, 'beganAt' | 'endedAt' | 'dueAt'> & {
  readonly beganAt: string;
  readonly endedAt: string;
  readonly dueAt: string;
};
type FactsRow = MessageRow & { readonly open: OpenDispatch | null; readonly outcomes: readonly StoredOutcome[] | null };

/** In one look, by three primary keys: an attempt that is settled meanwhile is seen before or behind its end, not in between. */
const factsSql = statement<FactsRow>(
  'messaging.message.timeline',
  `SELECT ${messageColumns},
     (SELECT jsonb_build_object('state', d.state, 'attempts', d.attempts) FROM dispatch d
      WHERE d.organization_id = $1 AND d.message_id = $2) AS open,
     (SELECT jsonb_agg(jsonb_build_object('attempt', o.attempt, 'outcome', o.outcome, 'code', o.code, 'times', o.times,
        'beganAt', o.began_at, 'endedAt', o.ended_at, 'dueAt', o.due_at) ORDER BY o.ended_at, o.attempt, o.has_begun)
      FROM attempt_outcome o WHERE o.organization_id = $1 AND o.message_id = $2) AS outcomes
   FROM message m WHERE m.organization_id = $1 AND m.id = $2`,
);

/** The facts of a message of that organization; null when it has none of that id. */
export async function findTimelineFacts(
  database: Database,
  organizationId: string,
  messageId: string,
): Promise<TimelineFacts | null> {
  const [row] = await database.query(factsSql, [organizationId, messageId]);
  if (!row) return null;
  const { open, outcomes, ...message } = row;
  return { message, open, outcomes: (outcomes ?? []).map(outcomeOf) };
}

function outcomeOf(stored: StoredOutcome): AttemptOutcome {
  const [beganAt, endedAt, dueAt] = [stored.beganAt, stored.endedAt, stored.dueAt].map((time) => new Date(time));
  if (!beganAt || !endedAt || !dueAt) throw new Error('an outcome has no times');
  return { ...stored, beganAt, endedAt, dueAt };
}
