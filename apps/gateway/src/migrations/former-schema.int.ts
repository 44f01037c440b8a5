import { join } from 'node:path';
import { describeAdoption, testServers } from '@switchboard/testing';
import { gatewayMigrations } from './all.js';
import { formerSchema } from './former-schema.js';

describeAdoption({
  service: 'gateway',
  migrations: gatewayMigrations,
  former: formerSchema,
  formerFile: join(import.meta.dirname, '..', '..', 'test', 'former-schema.sql'),
  rows: `
    INSERT INTO organization (id, name, plan) VALUES ('corganization', 'Acme', 'SCALE');
    INSERT INTO password_guess VALUES (decode('00', 'hex'), 11, now(), 'infinity');
    INSERT INTO audit_entry (organization_id, action, actor_type) VALUES ('corganization', 'plan.changed', 'system')
  `,
  read: {
    sql: `
      SELECT o.name, p.seats_max, t.attempts, t.next_attempt_at = 'infinity' AS "isWaiting", e.sequence,
        e.hash = h.hash AS "isHead"
      FROM organization o JOIN plan p ON p.name = o.plan JOIN audit_entry e ON e.organization_id = o.id
      JOIN audit_head h ON h.organization_id = o.id CROSS JOIN login_throttle t`,
    found: [{ name: 'Acme', seats_max: 500, attempts: 11, isWaiting: true, sequence: '1', isHead: true }],
  },
  table: 'organization',
  servers: testServers(),
});
