import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal, type TableRights } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { auditFunctions, auditLogReversal, auditTables, auditTrigger } from './initial/audit-log.sql.js';
import { loginThrottle, loginThrottleReversal } from './initial/login-throttle.sql.js';
import { organizationTables, organizationTablesReversal } from './initial/organizations.sql.js';
import { peopleTables, peopleTablesReversal } from './initial/people.sql.js';
import { planTable, planTableReversal, rateLimits, rateLimitsReversal } from './initial/plans.sql.js';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made, the audit log with it. */
export class Initial1765000000000 implements MigrationInterface {
  readonly name = 'Initial1765000000000';

  static readonly tableRights: TableRights = { audit_entry: ['SELECT', 'INSERT'], audit_head: ['SELECT'] };

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(planTable);
    await runner.query(organizationTables);
    await runner.query(rateLimits);
    await runner.query(peopleTables);
    await runner.query(loginThrottle);
    await runner.query(auditTables);
    await runner.query(auditFunctions);
    await runner.query(auditTrigger);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(auditLogReversal);
    await runner.query(loginThrottleReversal);
    await runner.query(peopleTablesReversal);
    await runner.query(rateLimitsReversal);
    await runner.query(organizationTablesReversal);
    await runner.query(planTableReversal);
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
