import { migrationConfig, runMigrations } from '@switchboard/platform';
import { messagingMigrations } from './migrations/all.js';
import { formerSchema } from './migrations/former-schema.js';

await runMigrations({
  service: 'messaging',
  config: migrationConfig,
  migrations: messagingMigrations,
  former: formerSchema,
});
