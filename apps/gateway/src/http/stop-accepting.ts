import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { endsWithin } from '@switchboard/timing';
import type { OpenRequests } from './open-requests.js';

/** For requests that are already on their way on connections kept alive. */
const GRACE_MS = 1_500;
/** For requests under way after that. */
const FINISH_MS = 3_500;

/**
 * Takes no new connections, serves what still comes on the open ones, each answer ending its connection, and returns when
 * all are gone, at the latest after 5 s.
 */
export async function stopAccepting(server: HttpServer, openRequests: OpenRequests): Promise<void> {
  if (!server.listening) return;
  openRequests.closeConnections();
  const closed = once(server, 'close');
  // `http.Server` would cut idle connections at once, and with them requests that are on the wire.
  Server.prototype.close.call(server);
  if (await endsWithin(closed, GRACE_MS)) return;
  server.closeIdleConnections();
  if (await endsWithin(closed, FINISH_MS)) return;
  server.closeAllConnections();
  await closed;
}
