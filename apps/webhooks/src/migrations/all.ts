import { Initial1764900000000 } from './1764900000000-initial.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { Lines1766700000000 } from './1766700000000-lines.js';
import { Erasure1766710000000 } from './1766710000000-erasure.js';
import { EventMessage1766800000000 } from './1766800000000-event-message.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { AttemptFailed1767200000000 } from './1767200000000-attempt-failed.js';
import { AttemptAgain1767210000000 } from './1767210000000-attempt-again.js';
import { Replay1767220000000 } from './1767220000000-replay.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { AttemptOfEvent1767510000000 } from './1767510000000-attempt-of-event.js';
import { DeletedWebhook1767520000000 } from './1767520000000-deleted-webhook.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { MarkedByLease1767640001000 } from './1767640001000-marked-by-lease.js';
import { OpenedLane1767650000000 } from './1767650000000-opened-lane.js';
import { FormerSecret1767660000000 } from './1767660000000-former-secret.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';
import { UnmeasuredQueue1767800001000 } from './1767800001000-unmeasured-queue.js';
import { WebhookRequest1767910000000 } from './1767910000000-webhook-request.js';
import { TestSends1767940000000 } from './1767940000000-test-sends.js';
import { FormerlyDeleted1767950000000 } from './1767950000000-formerly-deleted.js';

/** Every migration of the schema `webhooks`, in the order of their timestamps. */
export const webhooksMigrations = [
  Initial1764900000000,
  Incarnation1766390000000,
  Lines1766700000000,
  Erasure1766710000000,
  EventMessage1766800000000,
  Samples1766900000000,
  OutboxPending1767100000000,
  AttemptFailed1767200000000,
  AttemptAgain1767210000000,
  Replay1767220000000,
  SmallTables1767500000000,
  AttemptOfEvent1767510000000,
  DeletedWebhook1767520000000,
  ErasureTurns1767610000000,
  MarkedByLease1767640001000,
  OpenedLane1767650000000,
  FormerSecret1767660000000,
  EmptiedTables1767700000000,
  UnmeasuredTables1767800000000,
  UnmeasuredQueue1767800001000,
  WebhookRequest1767910000000,
  TestSends1767940000000,
  FormerlyDeleted1767950000000,
] as const;
