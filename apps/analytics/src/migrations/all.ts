import { Initial1764900000000 } from './1764900000000-initial.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { Rebuild1766600000000 } from './1766600000000-rebuild.js';
import { DayGrain1766600001000 } from './1766600001000-day-grain.js';
import { Erasure1766610000000 } from './1766610000000-erasure.js';
import { PackedRollup1766620000000 } from './1766620000000-packed-rollup.js';
import { FactRoom1766630000000 } from './1766630000000-fact-room.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { FactMonths1767300000000 } from './1767300000000-fact-months.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';

/** Every migration of the schema `analytics`, in the order of their timestamps. */
export const analyticsMigrations = [
  Initial1764900000000,
  Incarnation1766390000000,
  Rebuild1766600000000,
  DayGrain1766600001000,
  Erasure1766610000000,
  PackedRollup1766620000000,
  FactRoom1766630000000,
  Samples1766900000000,
  OutboxPending1767100000000,
  FactMonths1767300000000,
  SmallTables1767500000000,
  ErasureTurns1767610000000,
  EmptiedTables1767700000000,
  UnmeasuredTables1767800000000,
] as const;
