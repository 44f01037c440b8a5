import { integer, key256, optionalKey256, readConfig, serviceConfigSchema, type ConfigOf } from '@switchboard/platform';

const schema = {
  ...serviceConfigSchema,
  CREDENTIALS_KEY: key256({
    description: '32 bytes in base 64: the master key of the keys that hash the numbers of erased contacts',
  }),
  CREDENTIALS_KEY_PREVIOUS: optionalKey256({ description: 'the master key before or after, while they are rotated' }),
  TEMPLATES_JOB_RETENTION_DAYS: integer({
    description:
      'for which templates keeps a bulk send that has ended; former numbers of contacts are kept for 400 days more',
    unit: 'days',
    default: 400,
    min: 1,
    max: 36_500,
  }),
};

/** What contacts reads from its environment. */
export type ContactsConfig = ConfigOf<typeof schema>;

/** @throws Error that lists every problem at once */
export function contactsConfig(env: NodeJS.ProcessEnv = process.env): ContactsConfig {
  return readConfig(schema, env);
}
