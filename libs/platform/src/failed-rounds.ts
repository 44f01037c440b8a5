import { metrics, type Counter } from '@opentelemetry/api';
import { ThrottledLog } from '@switchboard/nats';
import type { Log } from './logger.js';

let counter: Counter | undefined;

/** Made when first used: an instrument made before the process measures records nothing. */
function failedRounds(): Counter {
  return (counter ??= metrics.getMeter('@switchboard/platform').createCounter('switchboard_failed_rounds_total', {
    description:
      'Rounds of work in the background that failed, by the event of the line in the log; each is tried again',
  }));
}

/** Shows the failures of a kind of work as 0 from now on: a rise from nothing is no rise to Prometheus. @param event of its line in the log */
export function showFailedRounds(event: string): void {
  failedRounds().add(0, { event });
}

/** Counts a round that failed, whose line in the log is written by its own rule. @param event of that line */
export function countFailedRound(event: string): void {
  failedRounds().add(1, { event });
}

/** @returns what logs and counts a round that failed. @param event of its line in the log */
export function failedRound(log: Log, event: string): (error: unknown) => void {
  return (error) => {
    countFailedRound(event);
    log.error(event, error);
  };
}

/** Counts each round of a kind that failed, and logs a run of them throttled: what comes every few seconds fails as often while something is away. */
export class RoundFailures {
  private readonly lines: ThrottledLog;

  /** @param event of its line in the log */
  constructor(
    log: Log,
    private readonly event: string,
  ) {
    this.lines = new ThrottledLog((error) => log.error(event, error));
    showFailedRounds(event);
  }

  failed(error: unknown): void {
    countFailedRound(this.event);
    this.lines.failed(error);
  }

  /** Ends the run. */
  succeeded(): void {
    this.lines.succeeded();
  }
}
