import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';

/** A server that no request may reach: it counts connections, and every socket that this process opens. */
export class Canary {
  private connections = 0;
  private sockets = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {
    server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('error', () => undefined).resume();
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    subscribe('net.client.socket', this.onSocket);
  }

  /** Listens on every interface, and proves that it is reached through IPv4 and IPv6 and that sockets are counted. */
  static async start(): Promise<Canary> {
    const server = createServer();
    server.listen(0, '::');
    await once(server, 'listening');
    const canary = new Canary(server, (server.address() as AddressInfo).port);
    const addresses = ['127.0.0.1', '127.8.9.10', '::1', '0.0.0.0'];
    for (const host of addresses) await touch(host, canary.port);
    const { connections, sockets } = canary.seen();
    if (connections !== addresses.length || sockets !== addresses.length) {
      throw new Error(`the canary saw ${connections} connections and ${sockets} sockets of ${addresses.length}`);
    }
    canary.forget();
    return canary;
  }

  /** Since the last `forget`. */
  seen(): { readonly connections: number; readonly sockets: number } {
    return { connections: this.connections, sockets: this.sockets };
  }

  forget(): void {
    this.connections = 0;
    this.sockets = 0;
  }

  async stop(): Promise<void> {
    unsubscribe('net.client.socket', this.onSocket);
    this.server.close();
    await once(this.server, 'close');
  }

  private readonly onSocket = (): void => {
    this.sockets += 1;
  };
}

/** The server has counted a connection once its answer has come. */
async function touch(host: string, port: number): Promise<void> {
  const socket = connect({ host, port });
  socket.resume();
  await once(socket, 'close');
}
