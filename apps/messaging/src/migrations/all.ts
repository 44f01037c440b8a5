import { Initial1765000000000 } from './1765000000000-initial.js';
import { MessageParts1766300000000 } from './1766300000000-message-parts.js';
import { DispatchTemplate1766300001000 } from './1766300001000-dispatch-template.js';
import { MessageLists1766300002000 } from './1766300002000-message-lists.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { BulkLanes1766400000000 } from './1766400000000-bulk-lanes.js';
import { PacedDispatches1766400001000 } from './1766400001000-paced-dispatches.js';
import { QuotaReservations1766400002000 } from './1766400002000-quota-reservations.js';
import { HeldLanes1766400003000 } from './1766400003000-held-lanes.js';
import { AnnounceChannels1766500000000 } from './1766500000000-announce-channels.js';
import { DataKeys1766510000000 } from './1766510000000-data-keys.js';
import { Erasure1766600000000 } from './1766600000000-erasure.js';
import { AttemptOutcomes1766800000000 } from './1766800000000-attempt-outcomes.js';
import { UpstreamCode1766800001000 } from './1766800001000-upstream-code.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { UpstreamMessageMonth1767000000000 } from './1767000000000-upstream-message-month.js';
import { MessageRetention1767000001000 } from './1767000001000-message-retention.js';
import { RetryOrder1767000002000 } from './1767000002000-retry-order.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { LaneHolds1767200000000 } from './1767200000000-lane-holds.js';
import { MonthsKeptQuickly1767300000000 } from './1767300000000-months-kept-quickly.js';
import { ActiveLanes1767400000000 } from './1767400000000-active-lanes.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { MergedContacts1767530001017 } from './1767530001017-merged-contacts.js';
import { WaitingStatuses1767600000000 } from './1767600000000-waiting-statuses.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { WaitingFrom1767640000000 } from './1767640000000-waiting-from.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { MonthsKeptNextToDrops1767710000000 } from './1767710000000-months-kept-next-to-drops.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';
import { UnmeasuredQueue1767800001000 } from './1767800001000-unmeasured-queue.js';
import { RepeatedAttempts1767820000000 } from './1767820000000-repeated-attempts.js';

/** Every migration of the schema `messaging`, in the order of their timestamps. */
export const messagingMigrations = [
  Initial1765000000000,
  MessageParts1766300000000,
  DispatchTemplate1766300001000,
  MessageLists1766300002000,
  Incarnation1766390000000,
  BulkLanes1766400000000,
  PacedDispatches1766400001000,
  QuotaReservations1766400002000,
  HeldLanes1766400003000,
  AnnounceChannels1766500000000,
  DataKeys1766510000000,
  Erasure1766600000000,
  AttemptOutcomes1766800000000,
  UpstreamCode1766800001000,
  Samples1766900000000,
  UpstreamMessageMonth1767000000000,
  MessageRetention1767000001000,
  RetryOrder1767000002000,
  OutboxPending1767100000000,
  LaneHolds1767200000000,
  MonthsKeptQuickly1767300000000,
  ActiveLanes1767400000000,
  SmallTables1767500000000,
  MergedContacts1767530001017,
  WaitingStatuses1767600000000,
  ErasureTurns1767610000000,
  WaitingFrom1767640000000,
  EmptiedTables1767700000000,
  MonthsKeptNextToDrops1767710000000,
  UnmeasuredTables1767800000000,
  UnmeasuredQueue1767800001000,
  RepeatedAttempts1767820000000,
] as const;
