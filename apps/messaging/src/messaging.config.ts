import { readFileSync } from 'node:fs';
import {
  httpOrigin,
  integer,
  key256,
  optionalKey256,
  readConfig,
  retentionDays,
  serviceConfigSchema,
  text,
  type ConfigOf,
} from '@switchboard/platform';
import { REQUEST_DEADLINE_MAX_MS } from './dispatch/dispatch.entity.js';
import { MONTHS_KEPT_DAYS_MIN } from './message/month-floor.js';

const schema = {
  ...serviceConfigSchema,
  CLOUD_BASE_URL: httpOrigin({
    description: "the provider's API, without a path",
    default: 'https://graph.facebook.com',
  }),
  CLOUD_API_VERSION: text({ description: "version segment of the provider's paths", default: 'v23.0' }),
  CLOUD_CONNECTIONS_MAX: integer({
    description: 'connections to the provider at most',
    default: 256,
    min: 1,
    max: 10_000,
  }),
  CLOUD_REQUEST_DEADLINE_MS: integer({
    description: 'after which an unanswered request is given up as unknown',
    unit: 'ms',
    default: 30_000,
    min: 1_000,
    max: REQUEST_DEADLINE_MAX_MS,
  }),
  CLOUD_CA_FILE: {
    description: "PEM file of the authorities that may certify the provider's API; empty: those that Node trusts",
    default: '',
    parse: (path: string) => readFileSync(path, 'utf8'),
  },
  DISPATCH_JOURNAL_DIR: text({
    description:
      'folder on a local disk, shared with the processes that follow, for what a successor needs to send at once what a killed process never sent; empty: no journal, such messages stay QUEUED and fail after 24 h',
    default: '',
  }),
  MESSAGING_RETENTION_DAYS: retentionDays({
    description:
      'after which a month of messages is removed, counted from its end, and conversations that have none left; 0: never',
    min: MONTHS_KEPT_DAYS_MIN,
  }),
  CREDENTIALS_KEY: key256({ description: "32 bytes in base 64: the master key of the channels' tokens" }),
  CREDENTIALS_KEY_PREVIOUS: optionalKey256({ description: 'the master key before or after, while they are rotated' }),
};

/** What messaging reads from its environment. */
export type MessagingConfig = ConfigOf<typeof schema>;

/** @throws Error that lists every problem at once */
export function messagingConfig(env: NodeJS.ProcessEnv = process.env): MessagingConfig {
  return readConfig(schema, env);
}
