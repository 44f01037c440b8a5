import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HttpAdapterHost } from '@nestjs/core';
import { HttpListener } from './http-listener.js';

describe('a gateway that cannot listen', () => {
  const server = createServer();
  const host = { httpAdapter: { getInstance: () => ({ ready: async () => undefined, server }) } };
  afterEach(() => void server.close());

  // 192.0.2.0/24 is for documentation: no machine has one of it (RFC 5737).
  it('names the host and the port that it was to listen at', async () => {
    const listener = new HttpListener(host as unknown as HttpAdapterHost, {
      LISTEN_FDS: 0,
      GATEWAY_HOST: '192.0.2.1',
      GATEWAY_PORT: 0,
    });
    await expect(listener.listen()).rejects.toThrow(/^GATEWAY_HOST 192\.0\.2\.1, GATEWAY_PORT 0: listen EADDRNOTAVAIL/);
  });
});
