import { migrationConfig, runMigrations } from '@switchboard/service';
import { Initial1763700000000 } from './migrations/initial.js';

await runMigrations({ service: 'messaging', config: migrationConfig(), migrations: [Initial1763700000000] });
