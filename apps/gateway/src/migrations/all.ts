import { Initial1765000000000 } from './1765000000000-initial.js';
import { Incarnation1766390000000 } from './1766390000000-incarnation.js';
import { InviteMaker1766600001000 } from './1766600001000-invite-maker.js';
import { ConfirmedMemberships1766600002000 } from './1766600002000-confirmed-memberships.js';
import { SessionDevice1766600003000 } from './1766600003000-session-device.js';
import { SecondFactors1766600004000 } from './1766600004000-second-factors.js';
import { Erasure1766610000000 } from './1766610000000-erasure.js';
import { AuditFilters1766820000000 } from './1766820000000-audit-filters.js';
import { Samples1766900000000 } from './1766900000000-samples.js';
import { AuditRetention1766910000000 } from './1766910000000-audit-retention.js';
import { OutboxPending1767100000000 } from './1767100000000-outbox-pending.js';
import { SmallTables1767500000000 } from './1767500000000-small-tables.js';
import { PeopleOfOrganization1767510000000 } from './1767510000000-people-of-organization.js';
import { ErasureTurns1767610000000 } from './1767610000000-erasure-turns.js';
import { EmptiedTables1767700000000 } from './1767700000000-emptied-tables.js';
import { UnmeasuredTables1767800000000 } from './1767800000000-unmeasured-tables.js';
import { DeviceEpoch1767900000000 } from './1767900000000-device-epoch.js';
import { ApiKeyRequest1767910000000 } from './1767910000000-api-key-request.js';
import { ApiKeyRenewal1767920000000 } from './1767920000000-api-key-renewal.js';
import { AuditActsOfActor1767960000000 } from './1767960000000-audit-acts-of-actor.js';

/** Every migration of the schema `gateway`, in the order of their timestamps. */
export const gatewayMigrations = [
  Initial1765000000000,
  Incarnation1766390000000,
  InviteMaker1766600001000,
  ConfirmedMemberships1766600002000,
  SessionDevice1766600003000,
  SecondFactors1766600004000,
  Erasure1766610000000,
  AuditFilters1766820000000,
  Samples1766900000000,
  AuditRetention1766910000000,
  OutboxPending1767100000000,
  SmallTables1767500000000,
  PeopleOfOrganization1767510000000,
  ErasureTurns1767610000000,
  EmptiedTables1767700000000,
  UnmeasuredTables1767800000000,
  DeviceEpoch1767900000000,
  ApiKeyRequest1767910000000,
  ApiKeyRenewal1767920000000,
  AuditActsOfActor1767960000000,
] as const;
