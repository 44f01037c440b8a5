import { withDeadline } from '@switchboard/timing';

/** Whether a dependency answers; resolves to null when it does, else to one line that says what is wrong. */
export type ReadinessCheck = () => Promise<string | null>;

/** The answer of `/health/ready`. */
export interface Readiness {
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

const CHECK_DEADLINE_MS = 2_000;

/** Asks every dependency at once, each for at most 2 s. */
export async function readiness(checks: Readonly<Record<string, ReadinessCheck>>): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, (await outcomeOf(check)) ?? 'ok'] as const),
  );
  return { ok: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
}

/**
 * Whether the process can serve requests, which is what a load balancer asks: NATS may be away, since requests go directly
 * then and events wait in the outbox (ADR 0015). Taking a process out for that would make an outage of a delay.
 */
export async function canServe(checks: Readonly<Record<string, ReadinessCheck>>): Promise<Readiness> {
  const { nats: _away, ...needed } = checks;
  return readiness(needed);
}

async function outcomeOf(check: ReadinessCheck): Promise<string | null> {
  try {
    return await withDeadline(check(), CHECK_DEADLINE_MS, () => 'no answer within 2 s');
  } catch {
    // The endpoint is open: the driver's message (hosts, roles) is in the log of the code that uses the dependency.
    return 'unavailable';
  }
}
