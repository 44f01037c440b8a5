import { join } from 'node:path';
import { describeAdoption, testServers } from '@switchboard/testing';
import { contactsMigrations } from './all.js';
import { formerSchema } from './former-schema.js';

describeAdoption({
  service: 'contacts',
  migrations: contactsMigrations,
  former: formerSchema,
  formerFile: join(import.meta.dirname, '..', '..', 'test', 'former-schema.sql'),
  rows: `
    INSERT INTO contact (organization_id, id, phone, messaging_id, name, version, created_at, updated_at, coverage, heard, search_text)
      VALUES ('corganization', 'c0000001', '+12015550123', '12015550123', 'Ana', 3, now(), now(), -1, '{"moves":["s1"]}',
        E'ANA\\x1f+12015550123\\x1f'),
        ('corganization', 'c0000002', '+12015550124', '12015550124', 'Bob', 1, now(), now(), 0, NULL, E'BOB\\x1f\\x1f'),
        ('corganization', 'c0000003', '', '', 'İnci Ana ẞ', 1, now(), now(), 0, NULL, E'İ\\u0307NCI ANA ẞ\\x1f\\x1f');
    INSERT INTO contact_alias VALUES ('corganization', '+12015550123', 'c0000001');
    INSERT INTO opt_out VALUES ('corganization', 'coptout1', 'c0000001', '*', 'API', NULL);
    INSERT INTO unconfirmed_lift VALUES ('corganization', 'coptout2', 'c0000002');
    INSERT INTO channel (organization_id, id, told_by) VALUES ('corganization', 'cchannel', 'cevent');
    INSERT INTO outbox (id, aggregate_id, subject, payload) VALUES (cuid_floor(now()), 'c0000001', 'contacts.test', '{}')
  `,
  read: {
    sql: `
      SELECT c.name, c.ordinal, c.segment, c.applied_statements, o.source, r.opt_out_id, l.last_event_id, e.subject,
        (SELECT array_agg(inci.id) FROM search_contacts('corganization', 'd', 'INCI ANA SS', '{INC,NCI}', NULL, 5) AS inci(id)) AS folded
      FROM search_contacts('corganization', 'd', 'ANA', '{ANA}', NULL, 5) AS found(id)
      JOIN contact c ON c.id = found.id JOIN contact_alias a ON a.contact_id = c.id AND a.alias = '+12015550123'
      JOIN opt_out o ON o.contact_id = c.id JOIN outbox e ON e.aggregate_id = c.id
      CROSS JOIN unconfirmed_removal r CROSS JOIN channel l`,
    found: [
      {
        name: 'Ana',
        ordinal: 0,
        segment: 0,
        applied_statements: { moves: ['s1'] },
        source: 'API',
        opt_out_id: 'coptout2',
        last_event_id: 'cevent',
        subject: 'contacts.test',
        folded: ['c0000003'],
      },
    ],
  },
  table: 'channel',
  servers: testServers(),
});
