import type pg from 'pg';
import { UsageError, type Choices } from './command-line.js';
import { servicesIn } from './services.js';

/**
 * Makes the row one that every process finds to be older than what the broker was shown: its token is none that was ever shown, and no
 * number is lower. It counts as not compared until then, so that nothing that is due is sent. A backup from before the table was used
 * has no row. See `compareIncarnations`, and `disown` in libs/outbox, which does the same for a running service.
 */
const DECLARE = `
  INSERT INTO $schema.incarnation (id, number, token, previous_token, consumer_epoch, compared_at, server_started_at)
  VALUES (1, 0, 'declared-' || gen_random_uuid(), NULL, 0, now(), '-infinity')
  ON CONFLICT (id) DO UPDATE SET number = 0, token = excluded.token, previous_token = NULL, server_started_at = '-infinity'`;

/**
 * Declares that the database was restored from a backup, for services that have not noticed it: each does when it looks next all that it
 * does by itself after a restore. All services in one transaction.
 *
 * @throws UsageError without `--service` or `--all`
 */
export async function declareRestored(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  if ((choices.service === undefined) === !choices.all) {
    throw new UsageError('Of which services? Give either --service or --all.');
  }
  const services = await servicesIn(client, choices.service);
  const statements = services.map((service) => DECLARE.replace('$schema', client.escapeIdentifier(service)));
  // One query without parameters is one transaction.
  await client.query(statements.join(';'));
  if (choices.json) return services.map((service) => JSON.stringify({ service }));
  return [
    `Restored: ${services.join(', ')}. Each says database.restored in its log within seconds, or once it is started.`,
  ];
}
