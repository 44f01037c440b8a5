import { migrationConfig, runMigrations } from '@switchboard/platform';
import { gatewayMigrations } from './migrations/all.js';

await runMigrations({ service: 'gateway', config: migrationConfig(), migrations: gatewayMigrations });
