import { migrationConfig, runMigrations } from '@switchboard/platform';
import { templatesMigrations } from './migrations/all.js';

// No database has this schema by another list of migrations, so there is no former form to adopt.
const spec = { service: 'templates', migrations: templatesMigrations, former: undefined };
await runMigrations({ ...spec, config: migrationConfig });
