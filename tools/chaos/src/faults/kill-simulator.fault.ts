import { killPoints } from '../fault/kill-points.js';
import type { Fault } from '../fault/fault.js';

/** The provider dies with requests open: it took some of them, and says so later or never. */
export const killSimulator: Fault = {
  name: 'kill-simulator',
  promise: 'kill -9 of the provider: what it may have taken is UNKNOWN, never repeated, settled by its callbacks',
  points: { full: 20, short: 1 },
  run: (context, options) => killPoints(context, options, { process: 'simulator', signal: 'SIGKILL' }),
};
