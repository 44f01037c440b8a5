import { BEGIN_WITHIN_MS, type Dispatch } from './dispatch.entity.js';

/** How a first attempt is over for those behind it: it has begun, or has ended without and is to be sent again. */
export type TurnEnd = 'begun' | 'not-begun';

/** The last first attempt of a conversation in this process. */
interface Turn {
  readonly hasBegun: Promise<boolean>;
  settle(hasBegun: boolean): void;
}

/**
 * Has first attempts of one conversation begin in their order, within this process.
 *
 * Two that were accepted in one moment do not see each other in the database. Without this the second would find the
 * connection that the first was refused.
 */
export class ConversationTurns {
  private readonly last = new Map<string, Turn>();

  /**
   * Enters behind the one that entered before.
   *
   * @returns `isFree`: false when an earlier one is to be sent again, so that this one must not begin; `settle`: to be
   * called when it has begun, or has ended without
   */
  enter(attempt: Pick<Dispatch, 'organizationId' | 'channelId' | 'contactId'>): {
    readonly isFree: Promise<boolean> | true;
    readonly settle: (end: TurnEnd) => void;
  } {
    const key = `${attempt.organizationId} ${attempt.channelId} ${attempt.contactId}`;
    const before = this.last.get(key);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const turn: Turn = { hasBegun: promise, settle: resolve };
    this.last.set(key, turn);
    const forget = (): void => {
      if (this.last.get(key) === turn) this.last.delete(key);
    };
    const settle = (end: TurnEnd): void => {
      const hasBegun = end === 'begun';
      turn.settle(hasBegun);
      // What was accepted before the refusal was recorded, and has not begun by then, never does.
      if (hasBegun) forget();
      else setTimeout(forget, BEGIN_WITHIN_MS).unref();
    };
    return { isFree: before?.hasBegun ?? true, settle };
  }
}
