import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CachedGauge, LOG, type Log } from '@switchboard/platform';
import { Database, queryWithin, statement } from '@switchboard/postgres';

const COUNT_MAX = 10_001;
/** Behind an old snapshot all entries of what was delivered are walked through: then the gauges have no points. */
const READ_WITHIN_MS = 1_000;

/** What waits. */
export interface Backlog {
  readonly pending: number;
  /** How long the first of a webhook has waited for us, the longest of them. */
  readonly unattendedSeconds: number;
}

/**
 * A webhook is unattended when its lane lets a request begin, its next probe included, and none is under way: what waits there waits
 * for us, and not for the receiver. Skips from webhook to webhook.
 */
const backlogSql = statement<Backlog>(
  'webhooks.delivery.backlog',
  `WITH RECURSIVE waiting AS (
     (SELECT webhook_id FROM delivery ORDER BY webhook_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.webhook_id FROM delivery d WHERE d.webhook_id > p.webhook_id ORDER BY d.webhook_id LIMIT 1)
     FROM waiting p WHERE p.webhook_id IS NOT NULL)
   SELECT (SELECT count(*)::integer FROM (SELECT FROM delivery LIMIT $1) AS counted) AS pending,
     (SELECT coalesce(greatest(max(extract(epoch FROM now() - head.since)), 0), 0)::float8
      FROM waiting p
      JOIN lane l ON l.webhook_id = p.webhook_id AND l.is_open
      CROSS JOIN LATERAL (
        SELECT greatest(f.due_at, l.held_until, CASE WHEN l.probing_since IS NOT NULL THEN l.next_probe_at END) AS since
        FROM delivery f WHERE f.webhook_id = p.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
        ORDER BY f.kind = 'REPLAY', f.position LIMIT 1) AS head
      WHERE NOT EXISTS (SELECT FROM delivery m
        WHERE m.webhook_id = p.webhook_id AND m.attempt_id IS NOT NULL AND m.lease_until >= now())
     ) AS "unattendedSeconds"`,
);

/** @throws what the database answers, also when it takes longer than a second */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [backlog] = await queryWithin(database, READ_WITHIN_MS, { statement: backlogSql, values: [COUNT_MAX] });
  return backlog ?? { pending: 0, unattendedSeconds: 0 };
}

/** Shows what waits to be delivered. */
@Injectable()
export class ObserveDeliveries implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { database, log } = this;
    const read = (): Promise<Backlog> => readBacklog(database);
    const backlog = new CachedGauge({ name: 'pending deliveries', read, log });
    backlog.observeAs(
      'switchboard_webhook_pending_deliveries',
      'Deliveries that are pending, those that wait for a retry included; counted up to 10,001',
      ({ pending }) => [{ value: pending }],
    );
    backlog.observeAs(
      'switchboard_webhook_unattended_seconds',
      'Age of the oldest delivery that is due at a webhook whose receiver is not waited for and that has no request under way',
      ({ unattendedSeconds }) => [{ value: unattendedSeconds }],
    );
  }
}
