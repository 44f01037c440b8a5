import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** Kinds that are kept; all are forgotten beyond. */
const KINDS_MAX = 20_000;

/**
 * Knows of which events no webhook took the last of their kind and organization. It decides how soon the next are stored, not
 * whether they are delivered: the first that a new webhook takes may be a little later, and the next are not.
 */
export class EventTakers {
  private readonly untaken = new Set<string>();

  constructor(private readonly kindsMax = KINDS_MAX) {}

  /** Whether no webhook took the last such event. False for a kind that it has not met. */
  areNone(envelope: EventEnvelope): boolean {
    return this.untaken.has(kindOf(envelope));
  }

  /** @param wasTaken whether a webhook is sent this event */
  note(envelope: EventEnvelope, wasTaken: boolean): void {
    if (wasTaken) {
      this.untaken.delete(kindOf(envelope));
      return;
    }
    if (this.untaken.size >= this.kindsMax) this.untaken.clear();
    this.untaken.add(kindOf(envelope));
  }
}

function kindOf({ organizationId, subject }: EventEnvelope): string {
  return `${organizationId ?? ''} ${subject}`;
}
