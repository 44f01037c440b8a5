import { PruneWorker } from '@switchboard/platform';
import { pruneSql, statement, type PruneStatement } from '@switchboard/postgres';

/** A call that is repeated, because its answer was lost, comes within seconds. */
const pruneReplays: PruneStatement = statement(
  'webhooks.replay.prune',
  pruneSql({
    table: 'replay',
    key: ['organization_id', 'id'],
    age: 'ended_at',
    upTo: `now() - interval '1 day'`,
  }),
);

/** Removes replays that ended a day ago, by index `replay_ended`. */
export const replayPruner = PruneWorker.provide({
  rows: 'replays',
  statement: pruneReplays,
  sliceMax: 1_000,
  idleMs: 600_000,
});
