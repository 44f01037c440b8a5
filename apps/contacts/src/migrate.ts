import { migrationConfig, runMigrations } from '@switchboard/platform';
import { migrations } from './migrations/index.js';

await runMigrations({ service: 'contacts', config: migrationConfig(), migrations });
