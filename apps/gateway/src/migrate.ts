import { migrationConfig, runMigrations } from '@switchboard/platform';
import { gatewayMigrations } from './migrations/all.js';
import { formerSchema } from './migrations/former-schema.js';

await runMigrations({
  service: 'gateway',
  config: migrationConfig,
  migrations: gatewayMigrations,
  former: formerSchema,
});
