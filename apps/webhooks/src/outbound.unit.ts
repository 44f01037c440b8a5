import { describe, expect, it } from '@jest/globals';
import { ownHosts } from './outbound.js';

describe('ownHosts', () => {
  it("names the servers of the service, the API's address and what the operator names", () => {
    const config = {
      DATABASE_URL: 'postgres://webhooks:secret@DB.internal/switchboard',
      NATS_URL: 'nats://127.0.0.1:4333, nats://[::1]:4334',
      PUBLIC_BASE_URL: 'https://api.example.org',
      WEBHOOKS_REFUSED_HOSTS: [{ host: 'console.example.org', port: null }],
    };
    expect(ownHosts(config)).toEqual([
      { host: 'db.internal', port: 5432 },
      { host: '127.0.0.1', port: 4333 },
      { host: '::1', port: 4334 },
      { host: 'api.example.org', port: 443, isSharedAddress: true },
      { host: 'console.example.org', port: null },
    ]);
    expect(ownHosts({ ...config, DATABASE_URL: '', NATS_URL: '', PUBLIC_BASE_URL: '' })).toHaveLength(1);
  });
});
