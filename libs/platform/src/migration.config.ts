import { databaseUrl, readConfig, text, type ConfigOf } from './config.js';

const schema = {
  MIGRATOR_DATABASE_URL: {
    description: 'postgres:// URL of the role that owns the schema',
    secret: true,
    parse: databaseUrl,
  },
  SERVICE_DATABASE_ROLE: text({ description: "the service's own role, which is granted its rights" }),
};

/** What the migration step of any service reads. */
export type MigrationConfig = ConfigOf<typeof schema>;

/** @throws Error that lists every problem at once */
export function migrationConfig(env: NodeJS.ProcessEnv = process.env): MigrationConfig {
  return readConfig(schema, env);
}
