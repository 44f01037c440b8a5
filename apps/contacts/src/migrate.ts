import { migrationConfig, runMigrations } from '@switchboard/platform';
import { contactsMigrations } from './migrations/all.js';
import { formerSchema } from './migrations/former-schema.js';

await runMigrations({
  service: 'contacts',
  config: migrationConfig,
  migrations: contactsMigrations,
  former: formerSchema,
});
