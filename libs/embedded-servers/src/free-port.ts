import { createServer } from 'node:net';

/**
 * A TCP port of 127.0.0.1 that was free a moment ago. Another program may take it before it is used:
 * the caller retries with another one when binding fails with EADDRINUSE.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('The kernel gave no port.');
  return address.port;
}
