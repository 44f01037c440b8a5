import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Kinds that are kept; all are forgotten beyond. */
const KINDS_MAX = 20_000;

/**
 * Knows how many webhooks took the last event of a kind and organization. It decides how soon, and in which order, the next are
 * stored, not whether they are delivered: the first that a new webhook takes may be a little later, and the next are not.
 */
export class EventTakers {
  private readonly takers = new Map<string, number>();

  constructor(private readonly kindsMax = KINDS_MAX) {}

  /** Whether no webhook took the last such event. False for a kind that it has not met. */
  areNone(envelope: EventEnvelope): boolean {
    return this.takers.get(kindOf(envelope)) === 0;
  }

  /** How many webhooks took the last such event; 1 for a kind that it has not met. */
  count(envelope: EventEnvelope): number {
    return this.takers.get(kindOf(envelope)) ?? 1;
  }

  /** @param takers how many webhooks are sent this event */
  note(envelope: EventEnvelope, takers: number): void {
    const kind = kindOf(envelope);
    if (!this.takers.has(kind) && this.takers.size >= this.kindsMax) this.takers.clear();
    this.takers.set(kind, takers);
  }
}

function kindOf({ organizationId, subject }: EventEnvelope): string {
  return `${organizationId ?? ''} ${subject}`;
}
