import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import type { TestServers } from '../index.js';

/** How it treats what passes. */
export interface Tampering {
  /** What the server gets; null cuts both sides. */
  readonly ask?: (chunk: Buffer) => Buffer | null;
  /** What the client gets. */
  readonly answer?: (chunk: Buffer) => Buffer | null;
}

/** A way to the database that changes what passes. */
export async function proxyTo(
  servers: TestServers,
  databaseUrl: string,
  { ask, answer }: Tampering,
): Promise<{ url: string }> {
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pass = (from: Socket, to: Socket, change: Tampering['ask']): void => {
      from.on('data', (chunk) => {
        const changed = change ? change(chunk) : chunk;
        if (changed) return void to.write(changed);
        client.destroy();
        upstream.destroy();
      });
      from.on('error', () => undefined);
    };
    pass(client, upstream, ask);
    pass(upstream, client, answer);
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.onEnd(() => new Promise((resolve) => server.close(resolve)));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href };
}
