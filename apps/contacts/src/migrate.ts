import { migrationConfig, runMigrations } from '@switchboard/platform';
import { contactsMigrations } from './migrations/all.js';

await runMigrations({ service: 'contacts', config: migrationConfig(), migrations: contactsMigrations });
