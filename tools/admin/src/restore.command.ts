import { RENEWED_WITHIN_S } from '@switchboard/outbox';
import type pg from 'pg';
import { UsageError, type Choices } from './command-line.js';
import { pastMoment } from './past-moment.js';
import { requireStopped, servicesIn } from './services.js';

/**
 * Makes the row one that every process finds to be older than what the broker was shown: its token is none that was ever shown, and no
 * number is lower. It counts as not compared until then, so that nothing that is due is sent. What was written before the restore is known
 * by `compared_at`, which is behind by as much as a running service may leave it. A backup from before the table
 * was used has no row. See `compareIncarnations` and `incarnation-ledger.ts`, and `disown` in libs/outbox, which does the same for a
 * running service.
 */
const DECLARE = `
  INSERT INTO $schema.incarnation (id, number, token, previous_token, consumer_epoch, compared_at, server_started_at)
  VALUES (1, 0, 'declared-' || gen_random_uuid(), NULL, 0, $restored::timestamptz - interval '${RENEWED_WITHIN_S} seconds', '-infinity')
  ON CONFLICT (id) DO UPDATE SET number = 0, token = excluded.token, previous_token = NULL,
    compared_at = excluded.compared_at, server_started_at = '-infinity'`;

/**
 * Declares that the database was restored from a backup, for services that have not noticed it: each does when it is started all that it
 * does by itself after a restore, to what was written before that moment. All services in one transaction.
 *
 * @throws UsageError without `--service` or `--all`, or without `--restored-at`; Error while one of the services is connected
 */
export async function declareRestored(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  if ((choices.service === undefined) === !choices.all) {
    throw new UsageError('Of which services? Give either --service or --all.');
  }
  const restoredAt = pastMoment(
    '--restored-at',
    choices.restoredAt,
    'When did PostgreSQL accept connections after the restore?',
  );
  const services = await servicesIn(client, choices.service);
  await requireStopped(client, services);
  const restored = client.escapeLiteral(restoredAt.toISOString());
  const statements = services.map((service) =>
    DECLARE.replace('$schema', client.escapeIdentifier(service)).replace('$restored', restored),
  );
  // One query without parameters is one transaction.
  await client.query(statements.join(';'));
  if (choices.json) return services.map((service) => JSON.stringify({ service }));
  return [`Restored: ${services.join(', ')}. Start them: each says database.restored in its log.`];
}
