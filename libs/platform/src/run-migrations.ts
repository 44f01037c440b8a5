import { parseArgs } from 'node:util';
import {
  migrate,
  migrateDownTo,
  ServiceConnectedError,
  UnknownMigrationError,
  type MigrateOptions,
} from '@switchboard/postgres';
import { createLog } from './logger.js';
import type { MigrationConfig } from './migration.config.js';

/**
 * Runs a service's migrations as this process, with a line about what was applied; ends with 1 when it fails, and then
 * the failed migration has left nothing. `--down-to <name>` takes back those that were applied after the named one instead, with a line
 * for each: where one fails, those before it are taken back.
 */
export async function runMigrations(spec: {
  readonly service: string;
  /** Reads it. */
  readonly config: () => MigrationConfig;
  readonly migrations: MigrateOptions['migrations'];
  readonly former: MigrateOptions['former'];
  /** Of the command line; those of this process without it. */
  readonly args?: readonly string[];
}): Promise<void> {
  const log = createLog(spec.service);
  try {
    const config = spec.config();
    const downTo = downToOf(spec.args ?? process.argv.slice(2));
    const options = {
      url: config.MIGRATOR_DATABASE_URL,
      schema: spec.service,
      migrations: spec.migrations,
      former: spec.former,
      serviceRole: config.SERVICE_DATABASE_ROLE,
    };
    const onReverted = (name: string): void => log.info('migration.reverted', { name });
    const names = downTo === undefined ? await migrate(options) : await migrateDownTo(options, downTo, onReverted);
    const event = downTo === undefined ? 'migrations.applied' : 'migrations.reverted';
    log.info(event, { count: names.length, names: names.join(', ') });
  } catch (error) {
    // What the operator has mistyped needs no stack.
    if (error instanceof UnknownMigrationError) log.warn('migrations.unknown', { reason: error.message });
    else if (error instanceof ServiceConnectedError) log.warn('migrations.connected', { reason: error.message });
    else log.error('migrations.failed', error);
    process.exitCode = 1;
  }
}

function downToOf(args: readonly string[]): string | undefined {
  return parseArgs({ args: [...args], options: { 'down-to': { type: 'string' } } }).values['down-to'];
}
