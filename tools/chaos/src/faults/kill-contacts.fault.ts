import { killPoints } from '../fault/kill-points.js';
import type { Fault } from '../fault/fault.js';

/** The service that knows who a new phone is dies: sends to known ones go on. */
export const killContacts: Fault = {
  name: 'kill-contacts',
  promise: 'kill -9 of contacts: sends to known contacts go on, to new ones 503, nothing lost',
  points: { full: 20, short: 1 },
  run: (context, options) =>
    killPoints(context, options, { process: 'contacts', signal: 'SIGKILL', isForNewOnly: true }),
};
