import { Initial1764900000000 } from './1764900000000-initial.js';
import { Templates1766100000000 } from './1766100000000-templates.js';
import { Jobs1766200000000 } from './1766200000000-jobs.js';
import { Organizations1766200000001 } from './1766200000001-organizations.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { Erasure1766600000000 } from './1766600000000-erasure.js';
import { JobRetention1766700000000 } from './1766700000000-job-retention.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';

/** Every migration of the schema `templates`, in the order of their timestamps. */
export const templatesMigrations = [
  Initial1764900000000,
  Templates1766100000000,
  Jobs1766200000000,
  Organizations1766200000001,
  Incarnation1766390000000,
  Erasure1766600000000,
  JobRetention1766700000000,
  Samples1766900000000,
  OutboxPending1767100000000,
  SmallTables1767500000000,
  ErasureTurns1767610000000,
  EmptiedTables1767700000000,
  UnmeasuredTables1767800000000,
] as const;
