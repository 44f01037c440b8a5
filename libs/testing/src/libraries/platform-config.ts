import type { PlatformSpec } from '@switchboard/platform';
import type { ServiceDatabase, TestNats } from '../index.js';

/** What the service `contacts` is started with on a database and a broker of tests; two connections, unless `own` says otherwise. */
export function platformConfig(
  prepared: ServiceDatabase,
  nats: Pick<TestNats, 'url' | 'password'>,
  own: Partial<PlatformSpec['config']> = {},
): PlatformSpec['config'] {
  return {
    SERVICE_HTTP_HOST: '127.0.0.1',
    SERVICE_HTTP_PORT: 0,
    DATABASE_POOL_MAX: 2,
    DATABASE_URL: prepared.url,
    NATS_URL: nats.url,
    NATS_USER: 'contacts',
    NATS_PASSWORD: nats.password,
    ...own,
  };
}
