import { ConversationLists1764700001000 } from './conversation-lists.js';
import { IdempotencyKeys1764000004000 } from './idempotency-keys.js';
import { Initial1763700000000 } from './initial.js';
import { MessageLists1764700000000 } from './message-lists.js';
import { ObservedOptOuts1764600000000 } from './observed-opt-outs.js';
import { OptOutKeywords1764800005000 } from './opt-out-keywords.js';
import { PhoneVersions1764000006000 } from './phone-versions.js';
import { PlannerHints1764700002000 } from './planner-hints.js';
import { Quota1764000003000 } from './quota.js';
import { QuotaCountsAll1764000009000 } from './quota-counts-all.js';
import { Replay1764100000000 } from './replay.js';
import { RetryLines1764500000000 } from './retry-lines.js';
import { Snooze1764400000000 } from './snooze.js';

/** Every migration of the schema `messaging`, in order. */
export const messagingMigrations = [
  Initial1763700000000,
  IdempotencyKeys1764000004000,
  Replay1764100000000,
  Snooze1764400000000,
  RetryLines1764500000000,
  ObservedOptOuts1764600000000,
  MessageLists1764700000000,
  ConversationLists1764700001000,
  PlannerHints1764700002000,
  Quota1764000003000,
  OptOutKeywords1764800005000,
  QuotaCountsAll1764000009000,
  PhoneVersions1764000006000,
] as const;
