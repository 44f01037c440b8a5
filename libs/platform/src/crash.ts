import type { Log } from './logger.js';

/**
 * Ends the process with 1 on an uncaught error, after a line as for every other error: Node itself would write all
 * of its fields, and those of a database error quote rows.
 */
export function endOnCrash(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('service.crashed', error);
    process.exit(1);
  });
}
