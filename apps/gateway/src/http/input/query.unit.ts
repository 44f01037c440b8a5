import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { ReportQuery } from '../../analytics/report.query.js';
import { ListAuditLogQuery } from '../../app/audit-log/list-audit-log.query.js';
import { ListAttemptsQuery } from '../../app/webhooks/list-attempts.query.js';
import { FindMessagesQuery } from '../../messages/find-messages.query.js';
import { ListEventsQuery } from '../../v1/events/list-events.query.js';

describe('a moment in a query', () => {
  it.each<[new () => object, readonly string[]]>([
    [ListEventsQuery, ['from']],
    [ListAuditLogQuery, ['since', 'until']],
    [ListAttemptsQuery, ['from', 'to']],
    [FindMessagesQuery, ['createdFrom', 'createdTo']],
    [ReportQuery, ['from', 'to']],
  ])('of a %o may have an offset whose plus was not escaped', (shape, names) => {
    const read = (text: string): unknown[] => {
      const query = plainToInstance(shape, Object.fromEntries(names.map((name) => [name, text])));
      return names.map((name): unknown => Reflect.get(query, name));
    };
    for (const offset of ['01:00', '0530', '01']) {
      expect(read(`2026-01-02T03:04 ${offset}`)).toEqual(names.map(() => `2026-01-02T03:04+${offset}`));
    }
    for (const text of ['2026-01-02', '2026-01-02T03:04-01:00', 'a 1', '2026-01-02 ']) {
      expect(read(text)).toEqual(names.map(() => text));
    }
  });
});
