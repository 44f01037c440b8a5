import { killPoints } from '../fault/kill-points.js';
import type { Fault } from '../fault/fault.js';

/** The service that calls the upstream dies between the request and its answer. */
export const killMessaging: Fault = {
  name: 'kill-messaging',
  promise: 'kill -9 of messaging: nothing lost, nothing sent twice, no 2xx without a message',
  points: { full: 20, short: 1 },
  run: (context, options) => killPoints(context, options, { process: 'messaging', signal: 'SIGKILL' }),
};
