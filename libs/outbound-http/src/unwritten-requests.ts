import type { Socket } from 'node:net';

/**
 * Has a connection that ends before a request was written on it end the request that waits for it.
 *
 * When such a connection ends by an error of undici's own kinds, undici has the request wait for another one: a receiver that speaks first had one
 * connection after another made, without end, since the end of the request is none of its waiting. A kept connection has been written on:
 * of one that ends between two requests the next request takes another.
 */
export function endUnwritten(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => destroy(error !== undefined && socket.bytesWritten === 0 ? endingError(error) : error);
}

/** The same in words, and of no kind of undici's: it ends the requests that wait for the connection. */
export function endingError(error: Error): Error {
  const isOfUndici = 'code' in error && String(error.code).startsWith('UND_ERR_');
  return isOfUndici ? new Error(error.message) : error;
}
