import type { Log } from './logger.js';

/** After which a process that was asked to end does, whatever is open. Who asks waits longer before a kill. */
export const STOP_DEADLINE_MS = 7_500;

/**
 * Runs `stop` once on SIGTERM or SIGINT and ends the process: 0 when it stopped cleanly, 1 when it failed or took
 * longer than 7.5 s.
 */
export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info('service.stopping', { signal });
    setTimeout(() => {
      log.warn('service.stop-timed-out', { afterMs: STOP_DEADLINE_MS });
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    stop().then(
      () => {
        log.info('service.stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error('service.stop-failed', error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
