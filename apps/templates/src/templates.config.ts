import { integer, readConfig, serviceConfigSchema, type ConfigOf } from '@switchboard/platform';

const schema = {
  ...serviceConfigSchema,
  TEMPLATES_SYNC_INTERVAL_SECONDS: integer({
    description: 'between two readings of a business account’s templates at the upstream, ±25 %',
    unit: 's',
    default: 300,
    min: 1,
    max: 86_400,
  }),
  TEMPLATES_JOB_RETENTION_DAYS: integer({
    description: 'for which a bulk send that has ended is kept, with its recipients and its idempotency key',
    unit: 'days',
    default: 400,
    min: 1,
    max: 36_500,
  }),
};

/** What templates reads from its environment. */
export type TemplatesConfig = ConfigOf<typeof schema>;

/** @throws Error that lists every problem at once */
export function templatesConfig(env: NodeJS.ProcessEnv = process.env): TemplatesConfig {
  return readConfig(schema, env);
}
