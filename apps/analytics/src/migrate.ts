import { migrationConfig, runMigrations } from '@switchboard/platform';
import { analyticsMigrations } from './migrations/all.js';

// No database has this schema by another list of migrations, so there is no former form to adopt.
const spec = { service: 'analytics', migrations: analyticsMigrations, former: undefined };
await runMigrations({ ...spec, config: migrationConfig });
