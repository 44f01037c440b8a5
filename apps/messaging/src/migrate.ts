import { migrationConfig, runMigrations } from '@switchboard/platform';
import { messagingMigrations } from './migrations/all.js';

await runMigrations({ service: 'messaging', config: migrationConfig(), migrations: messagingMigrations });
