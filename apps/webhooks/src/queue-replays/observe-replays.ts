import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CachedGauge, LOG, type Log } from '@switchboard/platform';
import { Database, statement } from '@switchboard/postgres';

const failuresSql = statement<{ failures: number }>(
  'webhooks.replay.failures',
  'SELECT coalesce(max(failures), 0)::integer AS failures FROM replay WHERE ended_at IS NULL',
);

/** Shows a replay that does not move. */
@Injectable()
export class ObserveReplays implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { database, log } = this;
    const read = async (): Promise<number> => (await database.query(failuresSql, []))[0]?.failures ?? 0;
    new CachedGauge({ name: 'failures of replays', read, log }).observeAs(
      'switchboard_webhook_replay_failures',
      'Failures in a row of the replay under way that has failed most often; a slice that is queued ends them',
      (failures) => [{ value: failures }],
    );
  }
}
