import type { SeededRandom } from '@switchboard/testing/seeded-random';

/** An organization that the generator sends for. */
export interface Sender {
  readonly organizationId: string;
  readonly apiKey: string;
  /** E.164 of its lines; the first is its default channel. */
  readonly phones: readonly string[];
}

/** What is sent next. */
export interface PlannedSend {
  readonly sender: Sender;
  readonly to: string;
  readonly text: string;
  readonly isFirstTo: boolean;
}

/** Recipients that make the simulator misbehave. Source: apps/upstream-simulator, "Magic recipients". */
export const MAGIC = {
  refused: '+12015550100',
  throttledTwice: '+12015550102',
  answerCut: '+12015550108',
  failedLater: '+12015550110',
  readOnly: '+12015550111',
  statusesReversed: '+12015550112',
} as const;

/** What the generator sends. */
export interface SendMix {
  /** Share of sends to a number that was never written to. */
  readonly firstShare: number;
  /** Share of sends to one of `magic`. */
  readonly magicShare: number;
  readonly magic: readonly string[];
}

/** Under fire as in life: most go to known numbers, some to new ones, and a few meet the provider's moods. */
export const MIXED: SendMix = { firstShare: 0.15, magicShare: 0.05, magic: Object.values(MAGIC) };
/** A healthy provider: it refuses nothing and cuts nothing. */
export const HEALTHY: SendMix = { firstShare: 0.1, magicShare: 0, magic: [] };

/** How many numbers are written to again and again, in each organization. */
const KNOWN_NUMBERS = 60;
let numbersGiven = 0;
let textsGiven = 0;

/** Decides what is sent, by a seed. Numbers called first are never repeated within this process. */
export class SendPlan {
  /** By organization. Kept from plan to plan: who is known stays known. */
  private static readonly known = new Map<string, string[]>();

  constructor(
    private readonly random: SeededRandom,
    private readonly senders: readonly Sender[],
    private readonly mix: SendMix,
  ) {}

  /** By the mix. */
  next(): PlannedSend {
    if (!this.random.chance(this.mix.magicShare))
      return this.ordinary({ toNew: this.random.chance(this.mix.firstShare) });
    return this.planned({
      sender: this.random.pick(this.senders),
      to: this.random.pick(this.mix.magic),
      isFirstTo: false,
    });
  }

  /** To somebody whom the provider serves well. */
  ordinary({ toNew }: { readonly toNew: boolean }): PlannedSend {
    const sender = this.random.pick(this.senders);
    const known = this.knownOf(sender);
    if (!toNew && known.length >= KNOWN_NUMBERS)
      return this.planned({ sender, to: this.random.pick(known), isFirstTo: false });
    const to = newNumber();
    if (known.length < KNOWN_NUMBERS) known.push(to);
    return this.planned({ sender, to, isFirstTo: true });
  }

  /** Somebody who writes to that organization: known or new. */
  writer(sender: Sender): string {
    const known = this.knownOf(sender);
    return known.length > 0 && this.random.chance(0.7) ? this.random.pick(known) : newNumber();
  }

  private planned(send: Omit<PlannedSend, 'text'>): PlannedSend {
    return { ...send, text: `chaos ${this.random.seed} ${++textsGiven}` };
  }

  private knownOf({ organizationId }: Sender): string[] {
    const known = SendPlan.known.get(organizationId) ?? [];
    SendPlan.known.set(organizationId, known);
    return known;
  }
}

/** A number of the United States that exists as far as numbering plans go: seven digits behind +1 415 and +1 628. */
function newNumber(): string {
  const count = numbersGiven++;
  const area = count < 7_900_000 ? 415 : 628;
  return `+1${area}${String(2_000_000 + (count % 7_900_000)).padStart(7, '0')}`;
}
