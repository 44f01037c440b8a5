import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than clients keep idle connections (undici: 4 s), so that none sends into a connection that is just being closed. */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/**
 * A second door to the provider's contract, which can really be shut: while it is, connections are refused by the system, so
 * a client knows that nothing of its request left. The main door cannot do that, since the control surface stays behind it.
 * The port stays the same for the life of the process.
 */
export class ProviderListener {
  #server: Server | undefined;

  constructor(
    private readonly handler: RequestListener,
    private readonly host: string,
    private port: number,
  ) {}

  /** The port, chosen by the system at the first `open` when it was 0. */
  get boundPort(): number {
    return this.port;
  }

  /** Takes connections; does nothing when it does already. @throws the system's error, such as EADDRINUSE. */
  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, this.handler);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, this.host, resolve);
    });
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Refuses connections from now on and ends those that are idle; requests already taken are still answered. */
  shut(): void {
    this.#server?.close();
    this.#server?.closeIdleConnections();
    this.#server = undefined;
  }

  /** Shuts, and cuts every connection. */
  destroy(): void {
    const server = this.#server;
    this.shut();
    server?.closeAllConnections();
  }
}
