import { Initial1765000000000 } from './1765000000000-initial.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { Erasure1766600000000 } from './1766600000000-erasure.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { RepeatedErasures1767300000000 } from './1767300000000-repeated-erasures.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { UnconfirmedErasures1767530000017 } from './1767530000017-unconfirmed-erasures.js';
import { MergedContacts1767530001017 } from './1767530001017-merged-contacts.js';
import { FormerAliases1767600000000 } from './1767600000000-former-aliases.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';
import { VersionFloor1767830000000 } from './1767830000000-version-floor.js';
import { HeldStatements1767930000003 } from './1767930000003-held-statements.js';
import { HeldOptOutGroups1767930001003 } from './1767930001003-held-opt-out-groups.js';
import { AccountWalk1767935000000 } from './1767935000000-account-walk.js';
import { ErasedMerged1767936000000 } from './1767936000000-erased-merged.js';
import { SearchCase1767937000000 } from './1767937000000-search-case.js';
import { MovedNumbers1767938000000 } from './1767938000000-moved-numbers.js';

/** Every migration of the schema `contacts`, in the order of their timestamps. */
export const contactsMigrations = [
  Initial1765000000000,
  Incarnation1766390000000,
  Erasure1766600000000,
  Samples1766900000000,
  OutboxPending1767100000000,
  RepeatedErasures1767300000000,
  SmallTables1767500000000,
  UnconfirmedErasures1767530000017,
  MergedContacts1767530001017,
  FormerAliases1767600000000,
  ErasureTurns1767610000000,
  EmptiedTables1767700000000,
  UnmeasuredTables1767800000000,
  VersionFloor1767830000000,
  HeldStatements1767930000003,
  HeldOptOutGroups1767930001003,
  AccountWalk1767935000000,
  ErasedMerged1767936000000,
  SearchCase1767937000000,
  MovedNumbers1767938000000,
] as const;
