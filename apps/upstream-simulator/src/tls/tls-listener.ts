import type { RequestListener } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { KnobsRepository } from '../knobs/knobs.repository.js';
import { KEEP_ALIVE_TIMEOUT_MS } from '../contract/provider-listener.js';
import type { TestAuthority } from './test-authority.js';

/** What a connection has taken so far. */
interface Taken {
  requests: number;
  /** Its last stream that was taken; 0: none. */
  lastStream: number;
  isGoingAway: boolean;
}

/**
 * The provider's contract over TLS, by HTTP/2 and HTTP/1.1 as the client negotiates.
 *
 * While the knob `goawayAfter` is a number N, a connection takes N requests. HTTP/2: the next ones get GOAWAY with the last
 * stream that was taken, are reset as REFUSED_STREAM and are neither read nor recorded. HTTP/1.1: the Nth answer says
 * `Connection: close`. Source: RFC 9113, 6.8 and 8.7; RFC 9112, 9.6.
 */
export class TlsListener {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #taken = new WeakMap<object, Taken>();

  constructor(
    private readonly knobs: KnobsRepository,
    private readonly handler: RequestListener,
    { key, certificate }: TestAuthority,
  ) {
    this.#server = createSecureServer({ key, cert: certificate, allowHTTP1: true });
    this.#server.setTimeout(KEEP_ALIVE_TIMEOUT_MS);
    this.#server.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // A client that breaks off its handshake or its session is no fault of the simulator.
    this.#server.on('tlsClientError', (_error, socket) => void socket.destroy());
    this.#server.on('sessionError', (_error: Error, session: ServerHttp2Session) => session.destroy());
    this.#server.on('request', (request, response) => {
      const { stream } = request as unknown as { stream?: { readonly id?: number; session?: ServerHttp2Session } };
      const session = stream?.session;
      if (session) {
        if (!this.#takeStream(session, request.stream)) return;
      } else if (this.#isLast(request.socket)) response.setHeader('connection', 'close');
      this.handler(request as never, response as never);
    });
  }

  /** Takes connections. @returns the port. @throws the system's error, such as EADDRINUSE */
  async open(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection at once. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** False when the connection takes no further stream: the client has GOAWAY then, and may send this one elsewhere. */
  #takeStream(session: ServerHttp2Session, stream: { readonly id?: number; close(code: number): void }): boolean {
    const taken = this.#countOf(session);
    const { goawayAfter } = this.knobs.current;
    if (goawayAfter !== null && taken.requests >= goawayAfter) {
      // Said once: `close()` of the session would say it again with a later stream, which breaks the protocol.
      if (!taken.isGoingAway) session.goaway(constants.NGHTTP2_NO_ERROR, taken.lastStream);
      taken.isGoingAway = true;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return false;
    }
    taken.requests++;
    taken.lastStream = stream.id ?? taken.lastStream;
    return true;
  }

  #isLast(connection: object): boolean {
    const taken = this.#countOf(connection);
    taken.requests++;
    const { goawayAfter } = this.knobs.current;
    return goawayAfter !== null && taken.requests >= goawayAfter;
  }

  #countOf(connection: object): Taken {
    const found = this.#taken.get(connection) ?? { requests: 0, lastStream: 0, isGoingAway: false };
    this.#taken.set(connection, found);
    return found;
  }
}
