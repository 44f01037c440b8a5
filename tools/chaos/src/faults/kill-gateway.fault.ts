import { killPoints } from '../fault/kill-points.js';
import type { Fault } from '../fault/fault.js';

/** The service that callers and the upstream talk to dies between a question and its answer. */
export const killGateway: Fault = {
  name: 'kill-gateway',
  promise: 'kill -9 of the gateway: callers know nothing, messages and callbacks are all there',
  points: { full: 20, short: 1 },
  run: (context, options) => killPoints(context, options, { process: 'gateway', signal: 'SIGKILL' }),
};
