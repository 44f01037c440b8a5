import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replays, and how far each is queued. Lock: none, the table is new. Reversal: drops it; what is not queued yet never will be. */
export class Replay1767220000000 implements MigrationInterface {
  readonly name = 'Replay1767220000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE replay (
      organization_id text COLLATE "C" NOT NULL,
      -- Made by the caller: asked for again, it is the same replay.
      id text COLLATE "C" NOT NULL,
      webhook_id text COLLATE "C" NOT NULL,
      since timestamptz NOT NULL,
      until timestamptz,
      types text[] NOT NULL,
      only_missed boolean NOT NULL,
      -- What the caller was answered.
      count integer NOT NULL,
      -- In the feed: all up to it is queued.
      position bigint NOT NULL,
      up_to bigint NOT NULL,
      state text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'FINISHED', 'CANCELED')),
      failures integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz,
      PRIMARY KEY (organization_id, id),
      CHECK ((state = 'RUNNING') = (ended_at IS NULL))
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`);
    await runner.query('CREATE INDEX replay_running ON replay (organization_id, due_at) WHERE ended_at IS NULL');
    await runner.query('CREATE INDEX replay_ended ON replay (ended_at) WHERE ended_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE replay');
  }
}
