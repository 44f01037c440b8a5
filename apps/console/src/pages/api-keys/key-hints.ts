import type { ApiKey } from '../../api/api.generated.js';

const KEYS_MAX = 50;
const MONTHS_MAX = 12;

/** Advice on keys, as sentences; none where all is well. */
export function hintsFor(keys: readonly ApiKey[], now: Date): readonly string[] {
  const active = keys.filter(({ status }) => status === 'ACTIVE');
  const old = active.filter(({ createdAt }) => isOld(createdAt, now)).length;
  return [
    ...(active.length > KEYS_MAX
      ? [`There are more than ${KEYS_MAX} active keys. Revoke those that no system uses: each one is a way in.`]
      : []),
    ...(old > 0
      ? [
          `${old === 1 ? 'One key is' : `${old} keys are`} older than ${MONTHS_MAX} months. Create a new key, move the system to it, then revoke the old one.`,
        ]
      : []),
  ];
}

/** Whether a key should be replaced. */
export function isOld(createdAt: string, now: Date): boolean {
  const limit = new Date(now);
  limit.setMonth(limit.getMonth() - MONTHS_MAX);
  return new Date(createdAt) < limit;
}
