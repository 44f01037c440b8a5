import type { SandboxRecipientView } from '@switchboard/contracts/gateway/http';

/** What each of the numbers kept for fiction does, by its last two digits. Source: apps/upstream-simulator/README.md. */
const effects: Readonly<Record<string, string>> = {
  '00': 'refused: not reachable (131026)',
  '01': 'refused: the 24-hour window is closed (131047)',
  '02': 'refused twice as too fast (130429), then accepted',
  '03': 'refused twice as too fast for this pair (131056), then accepted',
  '04': 'refused: something went wrong (131000)',
  '05': 'refused: opted out at the provider (131050)',
  '06': 'refused: invalid parameter (100)',
  '07': 'answered with a failure without a body',
  '08': 'accepted, but the answer is cut: the outcome is unknown until a callback comes',
  '09': 'accepted after 10 seconds',
  '10': 'accepted, and failed later (131049)',
  '11': 'read without being reported as delivered',
  '12': 'reported in reverse order and twice',
  '13': 'accepted, but the answer is cut and no callback ever comes: the outcome stays unknown',
};

/** Recipients of the sandbox that behave in a way of their own. */
export const magicRecipients: readonly SandboxRecipientView[] = Object.entries(effects)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([digits, effect]) => ({ phone: `+120155501${digits}`, effect }));
