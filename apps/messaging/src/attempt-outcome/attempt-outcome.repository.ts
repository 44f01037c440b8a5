/** An attempt that did not settle its message. */
export interface AttemptOutcome {
  /** 1-based. Attempts that never began have the number of the next one. */
  readonly attempt: number;
  readonly outcome: 'RETRY' | 'UNBEGUN' | 'UNKNOWN';
  /** Of the upstream, or of ours; null where there was no answer. */
  readonly code: string | null;
  readonly beganAt: Date;
  readonly endedAt: Date;
  /** Of the next attempt; of an unknown outcome, until when evidence is waited for. */
  readonly dueAt: Date;
  /** How many that never began under one number. */
  readonly times: number;
}

/**
 * The rest of an INSERT INTO attempt_outcome, behind its VALUES or SELECT: a later record of an attempt replaces the former,
 * since its holder alone knows what came of it. Attempts that never began under one number are one row, however many.
 */
export const keepLatest = `
  ON CONFLICT (organization_id, message_id, attempt, has_begun) DO UPDATE SET outcome = excluded.outcome,
    code = excluded.code, ended_at = excluded.ended_at, due_at = excluded.due_at, times = attempt_outcome.times + 1`;

/** Columns of an INSERT INTO attempt_outcome, in the order of its values. */
export const outcomeColumns =
  'organization_id, message_id, attempt, has_begun, outcome, code, began_at, ended_at, due_at';
