import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { Database, statement } from '@switchboard/postgres';
import { CachedGauge, LOG, type Log } from '@switchboard/platform';

/** States of an account's synchronisation, as it is observed. */
const STATES = ['synchronised', 'late', 'failing', 'not-connected'] as const;

const NOT_CONNECTED = [messagingErrors.UPSTREAM_NOT_CONNECTED.code, messagingErrors.CHANNEL_NOT_FOUND.code];
/** Late: due for a minute, and no run has it. */
const countSql = statement<{ state: string; count: number }>(
  'templates.account.count',
  `SELECT CASE WHEN error = ANY ($1::text[]) THEN 'not-connected' WHEN failures > 0 THEN 'failing'
     WHEN next_sync_at < now() - interval '1 minute' AND (lease_until IS NULL OR lease_until < now()) THEN 'late'
     ELSE 'synchronised' END AS state, count(*)::int AS count
   FROM account GROUP BY 1`,
);

/** Shows how many accounts are synchronised, and how many are not. */
@Injectable()
export class ObserveAccounts implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { database, log } = this;
    const read = (): Promise<{ state: string; count: number }[]> => database.query(countSql, [NOT_CONNECTED]);
    const accounts = new CachedGauge({ name: 'accounts', read, log });
    accounts.observeAs(
      'switchboard_template_accounts',
      'Business accounts by the state of the synchronisation of their templates',
      (rows) =>
        STATES.map((state) => ({ value: rows.find((row) => row.state === state)?.count ?? 0, labels: { state } })),
    );
  }
}
