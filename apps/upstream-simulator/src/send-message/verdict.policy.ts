import { FAULT_CODE, type Knobs } from '../knobs/knobs.entity.js';
import { magicBehaviourOf, type MagicBehaviour, type RefusalCount } from './magic-recipient.policy.js';
import type { Limits } from './limit.policy.js';

/** What is done with a request whose shape, sender and template are right. */
export type Verdict =
  | { readonly kind: 'refuse'; readonly code: number; readonly details?: string }
  | { readonly kind: 'fault' }
  | {
      readonly kind: 'accept';
      readonly cut: boolean;
      readonly slow: boolean;
      readonly magic: MagicBehaviour | undefined;
    };

/** What a verdict depends on besides the request. */
export interface VerdictState {
  readonly knobs: Knobs;
  readonly refusals: RefusalCount;
  readonly limits: Limits;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Decides: a magic recipient first, whatever the knobs say; then the share of errors, then the limits. */
export function decideVerdict(
  request: {
    readonly phoneNumberId: string;
    readonly waId: string;
    readonly type: string;
    readonly reference: string | null;
    readonly nowMs: number;
  },
  state: VerdictState,
): Verdict {
  const magic = magicBehaviourOf(request.waId);
  if (magic) return magicVerdict(magic, request, state.refusals);
  const error = drawError(state.knobs.errorRate, state.random);
  if (error === FAULT_CODE) return { kind: 'fault' };
  if (error !== undefined) return { kind: 'refuse', code: Number(error) };
  const limited = state.limits.refusalOf(request, state.knobs.limits);
  if (limited !== undefined) return { kind: 'refuse', code: limited };
  const cut = state.knobs.dropAnswerRate > 0 && state.random() < state.knobs.dropAnswerRate;
  return { kind: 'accept', cut, slow: false, magic: undefined };
}

function magicVerdict(
  magic: MagicBehaviour,
  request: { readonly reference: string | null; readonly waId: string },
  refusals: RefusalCount,
): Verdict {
  if (magic.kind === 'refuse') return { kind: 'refuse', code: magic.code };
  if (magic.kind === 'fault') return { kind: 'fault' };
  if (magic.kind === 'refuse-twice' && refusals.refuses(magic.code, request.reference, request.waId)) {
    return { kind: 'refuse', code: magic.code };
  }
  const cut = magic.kind === 'cut' || magic.kind === 'cut-for-good';
  return { kind: 'accept', cut, slow: magic.kind === 'slow', magic };
}

function drawError(rates: Knobs['errorRate'], random: () => number): string | undefined {
  let drawn: number | undefined;
  // for…in allocates nothing, and on the usual empty object it draws no random number either.
  for (const code in rates) {
    drawn = (drawn ?? random()) - (rates[code] ?? 0);
    if (drawn < 0) return code;
  }
  return undefined;
}
