import { fillDisk } from '../fault/disk-full.js';
import type { Fault } from '../fault/fault.js';

/** No byte is left for PostgreSQL: it refuses to write, or ends and cannot begin again. */
export const diskFullPostgres: Fault = {
  name: 'disk-full-postgres',
  promise: 'the disk of PostgreSQL full: 503, never a false 2xx, and back by itself when it is freed',
  points: { full: 3, short: 1 },
  run: (context, options) =>
    fillDisk(context, options, {
      server: 'postgres',
      // A new cluster, a few log segments, and room for a minute of load.
      megabytes: 256,
      isFelt: async (_stage, { failed }) => failed > 0,
    }),
};
