import { fillDisk } from '../fault/disk-full.js';
import type { Fault } from '../fault/fault.js';

/** More than any batch that is on its way at a given moment. */
const BACKLOG_FELT = 500;

/** No byte is left for JetStream: events wait in the outboxes, where PostgreSQL has them. */
export const diskFullNats: Fault = {
  name: 'disk-full-nats',
  promise:
    'the disk of NATS full: nothing that is accepted is lost, events wait, and all of it drains when it is freed',
  points: { full: 3, short: 1 },
  run: (context, options) =>
    fillDisk(context, options, {
      server: 'nats',
      megabytes: 64,
      isFelt: async (stage, { failed }) => failed > 0 || (await stage.database.openWork()).unpublished > BACKLOG_FELT,
    }),
};
