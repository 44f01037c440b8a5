import type { Socket } from 'node:net';
import { errors } from 'undici';

/**
 * Bytes of a connection for one response at most. More than any that is read to its end: 8 KB of a body in chunks of one byte are 48 KB,
 * next to at most 16 KB of a header. It is also what one read of a connection brings.
 */
export const RESPONSE_BYTES_MAX = 64 * 1024;

/** One for all, as its stack is never read; of this kind undici takes no request that has not been written for the one that failed. */
export const TOO_LONG = new errors.SocketError('the response is too long');

/**
 * Ends the connection of a response that has more bytes than any that is read. Those of a body are counted where it is read; undici's parser
 * counts none of a chunk's extension, a reason phrase, white space or empty lines, which come at line rate until the deadline otherwise.
 * Those of a TLS connection are counted below (`BoundedBytes`).
 *
 * To be called behind undici's own listeners: what a read has brought is parsed by then, so that a long body is cut and not taken for this.
 */
export function boundResponses(socket: Socket): void {
  let requestBytes = 0;
  let bytesBefore = socket.bytesRead;
  let bytesSeen = bytesBefore;
  socket.on('readable', () => {
    const { bytesRead, bytesWritten } = socket;
    // A further request has been written, which happens when the response to the one before has ended.
    if (bytesWritten !== requestBytes) {
      requestBytes = bytesWritten;
      bytesBefore = bytesSeen;
    }
    bytesSeen = bytesRead;
    if (bytesRead - bytesBefore > RESPONSE_BYTES_MAX) socket.destroy(TOO_LONG);
  });
}
