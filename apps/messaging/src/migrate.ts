import { migrationConfig, runMigrations } from '@switchboard/service';
import { messagingMigrations } from './migrations/all.js';

await runMigrations({ service: 'messaging', config: migrationConfig(), migrations: messagingMigrations });
