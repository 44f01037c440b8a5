import { migrationConfig, runMigrations } from '@switchboard/service';
import { migrations } from './migrations/index.js';

await runMigrations({ service: 'contacts', config: migrationConfig(), migrations });
