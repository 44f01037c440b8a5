import { dropOutboxDay, dropOutboxDayReversal } from './retention.sql.js';
import type { StatementRunner } from '@switchboard/postgres';

/**
 * DDL of `outbox_pending` in the place of the mark in each event: a narrow row for each event that the relay has still to
 * publish, found by `position`. For a migration of a service that has `outboxTables`.
 *
 * The row is there from the insertion of the event, by trigger, so that no writer can leave it out, and is deleted when the
 * broker has the event. So an event is written once: its mark wrote the whole of it once more, and its key. An event
 * without such a row was published, or is a dead letter of `relay`. Source: docs/adr/0055-pending-events.md
 *
 * Lock: ACCESS EXCLUSIVE on `outbox`, while the rows of what is pending are written. A relay of the release before fails
 * until its replica is replaced; what its service writes meanwhile is pending.
 */
export const pendingTable = `
  LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
  CREATE TABLE outbox_pending (
    position bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL
  );
  INSERT INTO outbox_pending (position, id) SELECT position, id FROM outbox WHERE published_at IS NULL;
  ALTER TABLE outbox DROP COLUMN published_at;
  CREATE FUNCTION pend_appended() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO outbox_pending (position, id) SELECT position, id FROM appended;
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION pend_appended() FROM PUBLIC;
  CREATE TRIGGER pend_appended AFTER INSERT ON outbox REFERENCING NEW TABLE AS appended
    FOR EACH STATEMENT EXECUTE FUNCTION pend_appended();
  ${dropOutboxDay}
`;

/** Takes `pendingTable` back. Lock: ACCESS EXCLUSIVE on `outbox`, while an index of each day is built. */
export const pendingTableReversal = `
  LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
  ALTER TABLE outbox ADD COLUMN published_at timestamptz DEFAULT now();
  ALTER TABLE outbox ALTER COLUMN published_at DROP DEFAULT;
  UPDATE outbox SET published_at = NULL FROM outbox_pending AS open WHERE outbox.id = open.id;
  UPDATE outbox SET published_at = '-infinity' FROM dead_letter AS letter
    WHERE outbox.id = letter.event_id AND letter.consumer = 'relay' AND outbox.published_at IS NOT NULL;
  CREATE INDEX outbox_unpublished ON outbox (position) WHERE published_at IS NULL;
  DROP TRIGGER pend_appended ON outbox;
  DROP FUNCTION pend_appended();
  DROP TABLE outbox_pending;
  ${dropOutboxDayReversal}
`;

/** Makes `pendingTable`, of which lock and reversal are; a service extends it with a name and a timestamp. */
export abstract class OutboxPendingMigration {
  async up(runner: StatementRunner): Promise<void> {
    await runner.query(pendingTable);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(pendingTableReversal);
  }
}
