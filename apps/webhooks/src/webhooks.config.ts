import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseRefusedHosts, type RefusedHost } from '@switchboard/outbound-http';
import {
  type ConfigOf,
  flag,
  httpBase,
  integer,
  key256,
  optionalKey256,
  readConfig,
  serviceConfigSchema,
} from '@switchboard/platform';

const noHosts: readonly RefusedHost[] = [];

const schema = {
  ...serviceConfigSchema,
  CREDENTIALS_KEY: key256({ description: '32 bytes in base 64: the master key of the signing secrets' }),
  CREDENTIALS_KEY_PREVIOUS: optionalKey256({ description: 'the master key before or after, while they are rotated' }),
  PUBLIC_BASE_URL: httpBase({ description: "the API's own address, which no webhook may lead to", default: '' }),
  WEBHOOKS_ALLOW_PRIVATE: flag({ description: 'for development: private addresses and http:// too', default: false }),
  WEBHOOKS_CA_FILE: {
    description: 'PEM file of authorities that may certify receivers, in addition to those that Node trusts',
    default: '',
    parse: (path: string) => {
      const authorities = readFileSync(path, 'utf8');
      // Of a file without any Node would trust none, and say nothing.
      new X509Certificate(authorities);
      return authorities;
    },
  },
  WEBHOOKS_REFUSED_HOSTS: {
    description: 'further hosts that no webhook may lead to: host[:port] by comma',
    default: noHosts,
    parse: parseRefusedHosts,
  },
  WEBHOOKS_RETENTION_DAYS: integer({
    description:
      'for which events can be replayed and read in the feed; an erasure walks all that are kept of its organization',
    unit: 'days',
    default: 7,
    min: 7,
    // They go before the attempts at them do, and before the messages of which they say.
    max: 30,
  }),
  WEBHOOKS_TIME_SCALE: {
    description: 'multiplies the waits between attempts, not their 10 s: for tests',
    default: 1,
    parse: (scale: string) => {
      const number = Number(scale);
      if (number > 0 && number <= 1_000) return number;
      throw new Error('must be a number above 0 and at most 1,000');
    },
  },
};

/** What webhooks reads from its environment. */
export type WebhooksConfig = ConfigOf<typeof schema> & {
  /** Of tests alone, in place of the 10 s of a request; no setting. */
  readonly requestDeadlineMs?: number;
};

/** Token of the `WebhooksConfig`. */
export const WEBHOOKS_CONFIG = Symbol('WebhooksConfig');

/** @throws Error that lists every problem at once */
export function webhooksConfig(env: NodeJS.ProcessEnv = process.env): WebhooksConfig {
  return readConfig(schema, env);
}
