import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Kinds that are kept; all are forgotten beyond. */
const KINDS_MAX = 20_000;

/** A webhook that is sent an event. */
export interface EventTaker {
  /** Its receiver has failed, and no probe has succeeded since. */
  readonly isProbed: boolean;
}

/** How many webhooks took an event, and how many of them are not probed. */
interface Taken {
  readonly count: number;
  readonly answering: number;
}

/** Of a kind that was not met. */
const UNKNOWN: Taken = { count: 1, answering: 1 };

/**
 * Knows which webhooks took the last event of a kind and organization. It decides how soon, and in which order, the next are
 * stored, not whether they are delivered: the first that a webhook takes which answers again may be a little later, and the next are not.
 */
export class EventTakers {
  private readonly taken = new Map<string, Taken>();

  constructor(private readonly kindsMax = KINDS_MAX) {}

  /**
   * Whether no webhook took the last such event, or such alone that are probed: these have one request under way at a time, some
   * seconds apart.
   */
  haveTime(envelope: EventEnvelope): boolean {
    return this.last(envelope).answering === 0;
  }

  /** How many webhooks took the last such event; 1 for a kind that it has not met. */
  count(envelope: EventEnvelope): number {
    return this.last(envelope).count;
  }

  /** @param takers that are sent this event */
  note(envelope: EventEnvelope, takers: readonly EventTaker[]): void {
    const kind = kindOf(envelope);
    if (!this.taken.has(kind) && this.taken.size >= this.kindsMax) this.taken.clear();
    const answering = takers.filter(({ isProbed }) => !isProbed).length;
    this.taken.set(kind, { count: takers.length, answering });
  }

  /** Its next events are stored as if none had been met: a webhook of it may take what none did. */
  forget(organizationId: string): void {
    for (const kind of this.taken.keys()) if (kind.startsWith(`${organizationId} `)) this.taken.delete(kind);
  }

  private last(envelope: EventEnvelope): Taken {
    return this.taken.get(kindOf(envelope)) ?? UNKNOWN;
  }
}

function kindOf({ organizationId, subject }: EventEnvelope): string {
  return `${organizationId ?? ''} ${subject}`;
}
