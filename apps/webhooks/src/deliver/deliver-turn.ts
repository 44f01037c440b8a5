import type { Database, Queryable, Transaction } from '@switchboard/postgres';
import {
  beginAttempts,
  recordAttempts,
  unmarkAttempts,
  unrecordedOf,
  type BegunRequest,
} from '../attempt/record-attempts.repository.js';
import {
  beginningOf,
  type AttemptResult,
  type EndedRequest,
  type MarkedAttempt,
  type SettledAttempt,
} from '../delivery/delivery.entity.js';
import { isOfClockAhead } from '../attempt/clock-step.policy.js';
import { retryDelayMs } from '../delivery/retry.policy.js';
import { heldLane, isExhausted, laneAfter, laneByClock, type LaneState } from '../lane/lane.policy.js';
import { existingLanes, lockLanes, storeLanes, type LockedLane } from '../lane/lane.repository.js';
import {
  deactivateWebhooks,
  dropUnwanted,
  lockToDeactivate,
  type Deactivation,
} from '../webhook/deactivate-webhooks.repository.js';

/**
 * An attempt that was marked and never left this process: nothing of it counts, and its delivery waits as before. That of a webhook
 * which no longer subscribes to the event is dropped, with others behind it that are as unwanted.
 */
export interface UnsentRequest {
  readonly attempt: MarkedAttempt;
  readonly cause: 'late' | 'no_name_server' | 'in_doubt' | 'unreadable_secret' | 'unsubscribed';
  /** How long the webhook is held, for what would not be sent either. */
  readonly holdMs: number;
}

/** What a turn does. */
export interface TurnSpec {
  readonly worker: string;
  readonly timeScale: number;
  readonly ended: readonly EndedRequest[];
  readonly unsent: readonly UnsentRequest[];
  /** Webhooks that may begin something. */
  readonly candidates: readonly string[];
  /**
   * Chooses what begins, of lanes that are this worker's and locked.
   *
   * @param recorded ids of attempts whose end this turn records
   * @param passedBy as in the result
   */
  readonly choose: (
    lanes: ReadonlyMap<string, LockedLane>,
    recorded: ReadonlySet<string>,
    passedBy: ReadonlySet<string>,
  ) => readonly MarkedAttempt[];
}

/** What a turn did. */
export interface TurnResult {
  readonly lanes: ReadonlyMap<string, LockedLane>;
  /** Webhooks whose lanes are closed, another's, or gone with their webhook. */
  readonly lost: readonly string[];
  /** Webhooks of which another session has locked a row: nothing of them is done, and what has ended is for a later turn. */
  readonly passedBy: ReadonlySet<string>;
  readonly settled: readonly SettledAttempt[];
  readonly begun: readonly MarkedAttempt[];
  /** By the attempt's id; an attempt without one was not begun. */
  readonly requests: ReadonlyMap<string, BegunRequest>;
  readonly deactivated: readonly Deactivation[];
}

/**
 * One turn of a worker, in one transaction: records the ends of attempts, moves the lanes on by them, and marks the attempts
 * that begin. No request leaves before its mark is committed.
 *
 * Everything about a lane is decided under its lock, so that an end that another process recorded as interrupted is not recorded twice,
 * and what people change meanwhile is seen. No lock of these is waited for: who holds it may stand still, and a turn has webhooks of many.
 */
export async function deliverTurn(database: Database, spec: TurnSpec): Promise<TurnResult> {
  const { ended, candidates, timeScale } = spec;
  const webhookIds = [...new Set([...candidates, ...[...ended, ...spec.unsent].map(webhookOf)])];
  let requests: readonly BegunRequest[] = [];
  const turn = await database.transaction(async (tx) => {
    const [locked, unrecorded] = await Promise.all([
      lockLanes(tx, webhookIds, spec.worker),
      unrecordedOf(
        tx,
        ended.map(({ attempt }) => attempt),
      ),
    ]);
    const missing = webhookIds.filter((id) => !locked.has(id));
    const passedBy = new Set(await existingLanes(tx, missing));
    const over = (): Over => ({
      own: ended.filter((end) => unrecorded.has(end.attempt.id) && !passedBy.has(webhookOf(end))),
      unsent: spec.unsent.filter((one) => !passedBy.has(webhookOf(one))),
    });
    let { own, unsent } = over();
    let { lanes, deactivated } = moveOn(locked, { own, unsent }, timeScale);
    const notLocked = await lockToDeactivate(tx, deactivated);
    if (notLocked.length > 0) {
      for (const id of notLocked) passedBy.add(id);
      ({ own, unsent } = over());
      ({ lanes, deactivated } = moveOn(locked, { own, unsent }, timeScale));
    }
    const settled = own.map((one) => settle(one, lanes.get(webhookOf(one)), timeScale));
    const held = new Map([...lanes].filter(([id, { isOpen, isOwned }]) => isOpen && isOwned && !passedBy.has(id)));
    const begun = spec.choose(held, new Set(own.map(({ attempt }) => attempt.id)), passedBy);
    await write(tx, { locked, lanes, settled, unsent, deactivated });
    beginAttempts(tx, begun, (rows) => (requests = rows));
    return {
      lanes,
      lost: webhookIds.filter((id) => !held.has(id) && !passedBy.has(id)),
      passedBy,
      settled,
      begun,
      deactivated,
    };
  });
  return { ...turn, requests: new Map(requests.map((request) => [request.attemptId, request])) };
}

/** The lanes by the clock as it is now, as which they are stored, too: what is ahead of it is taken for past by this turn and all behind it. */
function byClock(locked: ReadonlyMap<string, LockedLane>, timeScale: number): ReadonlyMap<string, LockedLane> {
  const lanes = [...locked.values()].map((lane): [string, LockedLane] => {
    const state = laneByClock(lane.state, lane.nowMs, timeScale);
    return [lane.webhookId, state === lane.state ? lane : { ...lane, state }];
  });
  return new Map(lanes);
}

/** The lanes of what was not sent, held for a while. */
function hold(
  locked: ReadonlyMap<string, LockedLane>,
  unsent: readonly UnsentRequest[],
  timeScale: number,
): ReadonlyMap<string, LockedLane> {
  const lanes = new Map(locked);
  for (const { attempt, holdMs } of unsent) {
    const lane = lanes.get(attempt.delivery.webhookId);
    if (!lane || holdMs === 0) continue;
    lanes.set(lane.webhookId, { ...lane, state: heldLane(lane.state, lane.nowMs + holdMs * timeScale) });
  }
  return lanes;
}

/** What is over, of webhooks that are not passed by. */
interface Over {
  readonly own: readonly EndedRequest[];
  readonly unsent: readonly UnsentRequest[];
}

type Moved = Pick<TurnResult, 'lanes' | 'deactivated'>;

/** The lanes after these ends, in the order in which they came. */
function moveOn(locked: ReadonlyMap<string, LockedLane>, { own, unsent }: Over, timeScale: number): Moved {
  const lanes = new Map(hold(byClock(locked, timeScale), unsent, timeScale));
  const deactivated: Deactivation[] = [];
  const inOrder = own.toSorted((one, other) => endOf(one) - endOf(other));
  for (const request of inOrder) {
    const { attempt, result } = request;
    const { webhookId, organizationId, kind } = attempt.delivery;
    const lane = lanes.get(webhookId);
    if (!lane?.isOpen || request.isEventGone) continue;
    const end = {
      // Of the mark: by then what was known of the receiver had let it begin.
      beganAtMs: attempt.beganAtMs,
      endedAtMs: endByClock(request, lane),
      recordedAtMs: lane.nowMs,
      isSuccess: result.outcome === 'SUCCEEDED',
      counts: kind === 'AUTOMATIC',
      retryAfterMs: result.retryAfterMs,
      isStopped: request.isStopped,
    };
    const state = laneAfter(lane.state, end, timeScale);
    const isOpen = !isExhausted(state);
    lanes.set(webhookId, { ...lane, state, isOpen });
    if (!isOpen) deactivated.push({ webhookId, organizationId, reason: reasonOf(state, result) });
  }
  return { lanes, deactivated };
}

function settle(ended: EndedRequest, lane: LockedLane | undefined, timeScale: number): SettledAttempt {
  const { attempt, result } = ended;
  if (result.outcome === 'SUCCEEDED') return { ...ended, state: 'SUCCEEDED', dueAtMs: null };
  const delayMs = ended.isEventGone ? null : retryDelayMs(attempt.delivery.tries + 1, timeScale);
  if (delayMs === null) return { ...ended, state: 'FAILED', dueAtMs: null };
  if (!lane?.isOpen) return { ...ended, state: 'DROPPED', dueAtMs: null };
  return { ...ended, state: 'PENDING', dueAtMs: endByClock(ended, lane) + delayMs };
}

interface TurnRows extends Pick<TurnResult, 'lanes' | 'settled' | 'deactivated'> {
  readonly locked: ReadonlyMap<string, LockedLane>;
  readonly unsent: readonly UnsentRequest[];
}

/** With COMMIT where it can: a round trip less of each turn, behind which requests wait. */
async function write(tx: Transaction, rows: TurnRows): Promise<void> {
  const changed = [...rows.lanes.values()].filter((lane) => lane !== rows.locked.get(lane.webhookId));
  const { unwanted = [], unsent = [] } = Object.groupBy(rows.unsent, ({ cause }) =>
    cause === 'unsubscribed' ? 'unwanted' : 'unsent',
  );
  const through = rows.deactivated.length === 0 ? withCommit(tx) : tx;
  // In this order: what was due again is dropped with a webhook that is deactivated.
  await Promise.all([
    recordAttempts(through, rows.settled),
    unmarkAttempts(through, unsent.map(attemptOf)),
    dropUnwanted(through, unwanted.map(attemptOf)),
    storeLanes(through, changed),
    deactivateWebhooks(tx, rows.deactivated),
  ]);
}

/** Statements travel with COMMIT, and their rows are not seen. */
function withCommit(tx: Transaction): Queryable {
  return {
    query: async (statement, values) => {
      tx.atCommit(statement, values);
      return [];
    },
  };
}

function attemptOf({ attempt }: UnsentRequest): MarkedAttempt {
  return attempt;
}

/** The webhook of an attempt that is over. */
export function webhookOf({ attempt }: EndedRequest | UnsentRequest): string {
  return attempt.delivery.webhookId;
}

function endOf(ended: EndedRequest): number {
  return beginningOf(ended) + ended.result.durationMs;
}

/** By the clock as it is: of what began before it stepped back, it ended now. */
function endByClock(ended: EndedRequest, { nowMs }: LockedLane): number {
  const endMs = endOf(ended);
  return isOfClockAhead(endMs, nowMs) ? nowMs : endMs;
}

function reasonOf({ consecutiveFailures }: LaneState, { responseStatus, error }: AttemptResult): string {
  const last = error === null ? `status ${responseStatus}` : error;
  return `${consecutiveFailures} consecutive attempts failed; the last: ${last}`;
}
