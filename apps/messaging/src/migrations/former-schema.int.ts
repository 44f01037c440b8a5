import { join } from 'node:path';
import { describeAdoption, testServers } from '@switchboard/testing';
import { messagingMigrations } from './all.js';
import { formerSchema } from './former-schema.js';

describeAdoption({
  service: 'messaging',
  migrations: messagingMigrations,
  former: formerSchema,
  formerFile: join(import.meta.dirname, '..', '..', 'test', 'former-schema.sql'),
  rows: `
    INSERT INTO idempotency_key VALUES ('corganization', decode(repeat('00', 32), 'hex'), decode(repeat('11', 32), 'hex'),
      'cmessage', now(), 200, '{"id":"cmessage"}');
    INSERT INTO message (organization_id, id, conversation_id, contact_id, channel_id, direction, type, status)
      VALUES ('corganization', cuid_floor(now()) || 'm', 'cconversation', 'ccontact', 'cchannel', 'OUTBOUND', 'TEXT', 'SENT');
    INSERT INTO quota VALUES ('corganization', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'), 1)
  `,
  read: {
    sql: `
      SELECT k.response, m.status, q.used, quota_counted(q.organization_id, q.month) AS counted
      FROM idempotency_key k JOIN message m USING (organization_id) JOIN quota q USING (organization_id)`,
    found: [{ response: '{"id":"cmessage"}', status: 'SENT', used: '1', counted: '1' }],
  },
  table: 'channel',
  servers: testServers(),
});
