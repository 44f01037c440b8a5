import { createServer } from 'node:net';

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Another program may take it before it is used:
 * the caller retries with another one when binding fails with EADDRINUSE.
 */
export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

/** As many different ports; all are bound before the first one is let go. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            if (address !== null && typeof address !== 'string') resolve(address.port);
            else reject(new Error('The kernel gave no port.'));
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  return ports;
}
