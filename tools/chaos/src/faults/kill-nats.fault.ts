import type { Fault } from '../fault/fault.js';
import { killPoints } from '../fault/kill-points.js';

/** The broker dies with requests, events and acknowledgements on their way. */
export const killNats: Fault = {
  name: 'kill-nats',
  promise: 'kill -9 of NATS: a 5xx never hides a send, every event arrives once and in order',
  points: { full: 20, short: 1 },
  run: (context, options) => killPoints(context, options, { process: 'nats', signal: 'SIGKILL' }),
};
