import { migrate, type MigrateOptions } from '@switchboard/postgres';
import { createLog } from './logger.js';
import type { MigrationConfig } from './migration.config.js';

/**
 * Runs a service's migrations as this process, with a line about what was applied; ends with 1 when it fails, and then
 * the failed migration has left nothing.
 */
export async function runMigrations(spec: {
  readonly service: string;
  readonly config: MigrationConfig;
  readonly migrations: MigrateOptions['migrations'];
  readonly former: MigrateOptions['former'];
}): Promise<void> {
  const log = createLog(spec.service);
  try {
    const applied = await migrate({
      url: spec.config.MIGRATOR_DATABASE_URL,
      schema: spec.service,
      migrations: spec.migrations,
      former: spec.former,
      serviceRole: spec.config.SERVICE_DATABASE_ROLE,
    });
    log.info('migrations.applied', { count: applied.length, names: applied.join(', ') });
  } catch (error) {
    log.error('migrations.failed', error);
    process.exitCode = 1;
  }
}
