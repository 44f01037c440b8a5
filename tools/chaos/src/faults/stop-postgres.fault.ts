import type { Fault } from '../fault/fault.js';
import { killPoints } from '../fault/kill-points.js';

/** PostgreSQL ends without a checkpoint and recovers from its log; sessions break in the middle of COMMIT. */
export const stopPostgres: Fault = {
  name: 'stop-postgres',
  promise: 'PostgreSQL restarted in immediate mode: 503 meanwhile, no commit is taken for what it was not',
  points: { full: 10, short: 1 },
  // SIGQUIT to the postmaster is `pg_ctl stop -m immediate`.
  run: (context, options) => killPoints(context, options, { process: 'postgres', signal: 'SIGQUIT' }),
};
