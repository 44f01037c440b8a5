import { setTimeout as wait } from 'node:timers/promises';
import { newCuidAt } from '@switchboard/contracts/grammar/cuid';
import type { Log } from '@switchboard/platform';
import { isDataError, OutcomeUnknown, type Database } from '@switchboard/postgres';
import { interruptedResult } from '../attempt/send-request.client.js';
import type { EndedRequest, MarkedAttempt } from '../delivery/delivery.entity.js';
import type { LockedLane } from '../lane/lane.repository.js';
import { chooseDeliveries } from './choose-deliveries.js';
import type { DatabaseClock } from '../attempt/database-clock.js';
import { deliverMetrics } from './deliver-metrics.js';
import { deliverTurn, webhookOf, type TurnResult, type TurnSpec, type UnsentRequest } from './deliver-turn.js';
import { endsOfTurn } from './ends-of-turn.js';
import type { LaneBook } from './lane-book.js';
import { laneSorts, TURN_LIMITS, type LaneSort } from './lane-sort.js';
import { logTurn, logUnsent } from './log-turn.js';
import type { RequestEnd, RequestsInFlight } from './requests-in-flight.js';

/** How long the end of the worker waits for locks of others, and how often it looks. */
const LAST_LOCKED_MS = 5_000;
const LAST_LOOK_MS = 50;

/** A webhook of which an end cannot be recorded, under no id, is tried again after so long. */
const REFUSED_REST_MS = 60_000;

/** What turns are made of. */
export interface DeliveryTurnsParts {
  readonly database: Database;
  readonly requests: RequestsInFlight;
  readonly book: LaneBook;
  readonly dbClock: DatabaseClock;
  readonly log: Log;
  /** Nothing begins once it has aborted. */
  readonly stopping: AbortSignal;
  /** Id of the worker that owns the lanes. */
  readonly worker: string;
  readonly timeScale: number;
  /** There is something to do for turns of this sort. */
  readonly wake: (sort: LaneSort) => void;
}

/**
 * The turns of a worker: each records what has ended and marks what begins; the requests are sent after its commit, and what
 * comes of them waits here for a later turn.
 *
 * Turns of both sorts may be under way at once. A webhook is in one of them at a time.
 */
export class DeliveryTurns {
  private ended: EndedRequest[] = [];
  private unsent: UnsentRequest[] = [];

  constructor(private readonly parts: DeliveryTurnsParts) {}

  /** Something has ended that a turn of this sort would record now. */
  hasEnded(sort: LaneSort): boolean {
    const isOfTurn = this.isOfTurn(sort);
    return [...this.ended, ...this.unsent].some(({ attempt }) => isOfTurn(attempt.delivery.webhookId));
  }

  /** No failure of the webhook waits to be recorded: until then its lane does not show that there was one. */
  mayBegin(webhookId: string): boolean {
    return !this.ended.some((end) => isFailure(end) && end.attempt.delivery.webhookId === webhookId);
  }

  /** The process that made the request is gone, or has lost it: its end is recorded without a result. */
  interrupt(attempt: MarkedAttempt): void {
    const isOver = [...this.ended, ...this.unsent].some((one) => one.attempt.id === attempt.id);
    if (isOver || this.parts.requests.has(attempt.id)) return;
    this.ended.push({ attempt, result: interruptedResult(attempt.leaseUntilMs - attempt.beganAtMs) });
  }

  /** @param candidates webhooks that may begin something. @returns how many attempts it has begun */
  async turn(sort: LaneSort, candidates: readonly string[]): Promise<number> {
    const { attempts: max, webhooksEnded: webhooksMax } = TURN_LIMITS[sort];
    const asked = { isOfTurn: this.isOfTurn(sort), max, webhooksMax };
    const { taken: ended, left } = endsOfTurn(this.ended, asked);
    const isAlone = ended[0]?.isAlone === true;
    const { taken: unsent, left: unsentLeft } = endsOfTurn(this.unsent, isAlone ? { ...asked, max: 0 } : asked);
    this.ended = left;
    this.unsent = unsentLeft;
    const over = [...ended, ...unsent].map(({ attempt }) => attempt.delivery.webhookId);
    const { book, wake } = this.parts;
    const mayBegin = isAlone ? [] : candidates;
    const webhookIds = new Set([...mayBegin, ...over]);
    const begun = await book.whileTaken(webhookIds, () => this.run(sort, { ended, unsent, candidates: mayBegin }));
    // What a turn records may change the sort of its lanes.
    for (const other of laneSorts) {
      if (other !== sort && book.busy(other).some(({ webhookId }) => webhookIds.has(webhookId))) wake(other);
    }
    return begun;
  }

  /** Records all that has ended; of webhooks of which another session has locked a row, what it can within 5 s. */
  async recordLast(): Promise<void> {
    const untilMs = performance.now() + LAST_LOCKED_MS;
    // What was refused twice waits for the next process, which finds its mark.
    while (this.unsent.length > 0 || this.ended.some(({ isRefusedAgain }) => isRefusedAgain !== true)) {
      const sort = laneSorts.find((one) => this.hasEnded(one));
      if (sort) await this.turn(sort, []).catch(waitBehindDataError);
      else if (performance.now() < untilMs) await wait(LAST_LOOK_MS);
      else return;
    }
  }

  private async run(sort: LaneSort, of: Pick<TurnSpec, 'ended' | 'unsent' | 'candidates'>): Promise<number> {
    const { database, book, requests, worker, timeScale } = this.parts;
    const { ended, unsent } = of;
    let chosen: readonly MarkedAttempt[] = [];
    const choose: TurnSpec['choose'] = (lanes, recorded, passedBy) => {
      for (const { attempt } of ended) {
        if (passedBy.has(attempt.delivery.webhookId)) continue;
        const lane = book.find(attempt.delivery.webhookId);
        // Another process has recorded or unmarked it: what its delivery waits for now is not known here.
        if (recorded.has(attempt.id)) lane?.ended(attempt.id, null);
        else lane?.doubt();
      }
      // What was not sent is the first of its conversation again, and is not among what is known: later ones would overtake it.
      for (const { attempt } of unsent) {
        if (!passedBy.has(attempt.delivery.webhookId)) book.find(attempt.delivery.webhookId)?.doubt(attempt.delivery);
      }
      return (chosen = ended[0]?.isAlone === true ? [] : this.choose(lanes, TURN_LIMITS[sort].attempts));
    };
    const startedMs = performance.now();
    let result: TurnResult;
    try {
      result = await deliverTurn(database, { worker, timeScale, ...of, choose });
      this.follow(result, unsent.filter(isDoneBy(result)), startedMs);
    } catch (error) {
      // It may have been committed all the same: what is marked is read again, and what was recorded is not recorded twice.
      book.doubt();
      for (const { delivery } of chosen) requests.forgo(delivery);
      // Marked, if the COMMIT stands, and never sent: nothing of it counts.
      if (error instanceof OutcomeUnknown) this.unsent.push(...chosen.map(inDoubt));
      this.ended = [...(isDataError(error) ? this.refused(ended, error) : ended), ...this.ended];
      this.unsent.push(...unsent);
      throw error;
    }
    this.keepLeft(result, of);
    // The turn is committed, whatever comes of this.
    await this.leaveUnreadable(unsent.filter(isDoneBy(result)));
    return result.begun.length;
  }

  /**
   * One of these is at fault: each is recorded by itself from now on. The one gets another id, as the day of its own may not be kept, and
   * loses the body of its response. Refused again, its webhook rests, and the others go on.
   */
  private refused(ended: readonly EndedRequest[], error: unknown): readonly EndedRequest[] {
    const [only] = ended;
    if (!only || ended.length > 1) return ended.map((one) => ({ ...one, isAlone: true }));
    const { dbClock, log } = this.parts;
    const { webhookId, organizationId, id: deliveryId } = only.attempt.delivery;
    log.error('delivery.end-refused', error, { organizationId, webhookId, deliveryId });
    const isRefusedAgain = only.recordedAs !== undefined;
    if (isRefusedAgain) void this.rest([webhookId], REFUSED_REST_MS);
    return [{ ...withoutBody(only), isAlone: true, isRefusedAgain, recordedAs: newCuidAt(dbClock.now()) }];
  }

  private async rest(webhookIds: Iterable<string>, forMs?: number): Promise<void> {
    await this.parts.book.rest(webhookIds, forMs);
    for (const sort of laneSorts) this.parts.wake(sort);
  }

  /** What the turn has passed by is for a later one: in front of what has ended since. */
  private keepLeft(result: TurnResult, { ended, unsent }: Pick<TurnSpec, 'ended' | 'unsent'>): void {
    if (result.passedBy.size === 0) return;
    const isDone = isDoneBy(result);
    this.ended = [...ended.filter((one) => !isDone(one)), ...this.ended];
    this.unsent = [...unsent.filter((one) => !isDone(one)), ...this.unsent];
    void this.rest(result.passedBy);
  }

  private choose(lanes: ReadonlyMap<string, LockedLane>, max: number): readonly MarkedAttempt[] {
    const { book, dbClock, requests, stopping } = this.parts;
    const open = [];
    let nowMs = dbClock.now();
    for (const [webhookId, locked] of lanes) {
      const lane = book.find(webhookId);
      if (!lane) continue;
      lane.state = locked.state;
      nowMs = locked.nowMs;
      if (this.mayBegin(webhookId)) open.push(lane);
    }
    dbClock.observe(nowMs);
    if (stopping.aborted) return [];
    return chooseDeliveries({ lanes: open, nowMs, budget: requests.budget, max });
  }

  /** After the commit. */
  private follow(result: TurnResult, unsent: readonly UnsentRequest[], startedMs: number): void {
    const { book, requests, dbClock, log } = this.parts;
    for (const webhookId of result.lost) book.lost(webhookId);
    for (const { attempt, dueAtMs } of result.settled) {
      if (dueAtMs !== null) book.find(attempt.delivery.webhookId)?.ended(attempt.id, dueAtMs);
    }
    for (const attempt of result.begun) {
      const request = result.requests.get(attempt.id);
      if (!request) {
        // Its delivery has gone, or is marked otherwise: what is known of the webhook is not what is stored.
        requests.forgo(attempt.delivery);
        book.find(attempt.delivery.webhookId)?.doubt();
        continue;
      }
      const isApart = book.find(attempt.delivery.webhookId)?.sort === 'giving-way';
      const spec = { turnAtMs: startedMs, nowMs: dbClock.now(), isApart };
      void requests.send(attempt, request, spec).then((end) => this.onEnd(end));
    }
    logTurn(log, result);
    logUnsent(log, unsent);
    deliverMetrics(() => requests.count).turned(result, unsent);
  }

  /** Another worker may have the key of their secrets; as long as they are held, this one has not. */
  private async leaveUnreadable(unsent: readonly UnsentRequest[]): Promise<void> {
    const unreadable = unsent.filter(({ cause }) => cause === 'unreadable_secret');
    if (unreadable.length === 0) return;
    const webhookIds = [...new Set(unreadable.map(({ attempt }) => attempt.delivery.webhookId))];
    const heldMs = Math.max(...unreadable.map(({ holdMs }) => holdMs)) * this.parts.timeScale;
    await this.parts.book.leave(webhookIds, heldMs);
  }

  private onEnd(end: RequestEnd): void {
    const lane = this.parts.book.find(end.attempt.delivery.webhookId);
    if ('result' in end) {
      this.ended.push(end);
      lane?.answered({ isCut: end.isCut === true, isSuccess: !isFailure(end) });
    } else this.unsent.push(end);
    const sort = 'result' in end ? sortOf(end) : undefined;
    this.parts.wake(sort ?? lane?.sort ?? 'answering');
  }

  /**
   * Says of webhooks whether a turn of this sort records their ends. One with a failure among its ends is of the turns of those that give way,
   * whatever its lane is. One that has answered is of the others, so that its next delivery waits for no rest between turns.
   */
  private isOfTurn(sort: LaneSort): (webhookId: string) => boolean {
    const { book } = this.parts;
    const ended = Map.groupBy(this.ended, sortOf);
    const withEnds = (one: LaneSort): Set<string> => new Set(ended.get(one)?.map(webhookOf));
    const [failing, proven] = [withEnds('giving-way'), withEnds('answering')];
    const givesWay = (id: string): boolean =>
      failing.has(id) || (!proven.has(id) && book.find(id)?.sort === 'giving-way');
    return (webhookId) => !book.isTaken(webhookId) && givesWay(webhookId) === (sort === 'giving-way');
  }
}

function isFailure({ result }: EndedRequest): boolean {
  return result.outcome !== 'SUCCEEDED';
}

/** In which turns an end is recorded, whatever its lane is; undefined: the lane decides, which may give way for what its answers cost. */
function sortOf(end: EndedRequest): LaneSort | undefined {
  if (isFailure(end)) return 'giving-way';
  return end.isCut === true ? undefined : 'answering';
}

/** Whether a turn has done what it was asked of an attempt, whose webhook it has not passed by. */
function isDoneBy({ passedBy }: TurnResult): (one: EndedRequest | UnsentRequest) => boolean {
  return ({ attempt }) => !passedBy.has(attempt.delivery.webhookId);
}

function inDoubt(attempt: MarkedAttempt): UnsentRequest {
  return { attempt, cause: 'in_doubt', holdMs: 0 };
}

async function waitBehindDataError(error: unknown): Promise<void> {
  if (!isDataError(error)) throw error;
  await wait(LAST_LOOK_MS);
}

function withoutBody(ended: EndedRequest): EndedRequest {
  return { ...ended, result: { ...ended.result, responseBody: null } };
}
