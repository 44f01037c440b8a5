import { RecentMap } from '@switchboard/timing';

/** A replica trusts a known wait so long and then asks the database: another replica may have forgiven the subject. */
const TRUSTED_MS = 1_000;
const SUBJECTS_MAX = 10_000;

/**
 * Subjects that were refused a moment ago: refusing them again costs no query. Bounded in memory; a subject that falls out is
 * looked up in the database again.
 */
export class KnownWaits {
  private readonly waits = new RecentMap<string, { readonly nextMs: number; readonly trustedUntilMs: number }>(
    SUBJECTS_MAX,
  );

  /** Notes until when a subject has to wait. */
  note(subject: Buffer, nextMs: number, nowMs: number): void {
    this.waits.set(keyOf(subject), { nextMs, trustedUntilMs: Math.min(nextMs, nowMs + TRUSTED_MS) });
  }

  /** The moment until which a subject has to wait; null when the database is to be asked. */
  nextOf(subject: Buffer, nowMs: number): number | null {
    const key = keyOf(subject);
    const wait = this.waits.get(key);
    if (!wait) return null;
    if (nowMs < wait.trustedUntilMs) return wait.nextMs;
    this.waits.delete(key);
    return null;
  }

  /** Forgets the wait of a subject that was forgiven. */
  forget(subject: Buffer): void {
    this.waits.delete(keyOf(subject));
  }
}

function keyOf(subject: Buffer): string {
  return subject.toString('base64');
}
