import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs, type Backoff, type Random } from '@switchboard/timing';

/** What to connect to, and when to give it up. */
export interface PatientConnection<Connection> {
  readonly connect: () => Promise<Connection>;
  /** Whether the same may succeed later: a server that is away, and not one that refuses the user. */
  readonly mayPass: (error: unknown) => boolean;
  /** Called before each pause with why, and the milliseconds that are left. */
  readonly onWait: (reason: string, leftMs: number) => void;
  /** Milliseconds from the first try to the start of the last; 30 s by default. */
  readonly withinMs?: number;
  readonly random?: Random;
}

/** A start of all servers at once, a failover or a stalled disk take so long; whatever restarts processes waits much longer. */
const WITHIN_MS = 30_000;
const BACKOFF: Backoff = { firstMs: 250, maxMs: 2_000 };

/**
 * Connects a process that starts to a server that may start or stall at the same time.
 *
 * @throws the last error: at once when it cannot pass, else when the time is over
 */
export async function connectPatiently<Connection>(options: PatientConnection<Connection>): Promise<Connection> {
  const { connect, mayPass, onWait, withinMs = WITHIN_MS, random } = options;
  const lastTryAtMs = performance.now() + withinMs;
  for (let failures = 1; ; failures++) {
    try {
      return await connect();
    } catch (error) {
      const leftMs = lastTryAtMs - performance.now();
      if (!mayPass(error) || leftMs <= 0) throw error;
      onWait(reasonOf(error), Math.ceil(leftMs));
      await wait(Math.min(backoffMs(failures, BACKOFF, random), leftMs));
    }
  }
}

/** A name with several addresses fails with an error of each, and with no words of its own. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
}
