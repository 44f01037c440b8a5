import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A receiver that answers with raw bytes, and records what came. */
export class RawReceiver {
  /** Each request as it came: head and body. */
  readonly requests: string[] = [];
  readonly sockets: Socket[] = [];

  private constructor(private readonly server: Server) {}

  /** @param answer writes to the socket once a request has come in whole. */
  static async start(answer: (socket: Socket, request: string) => void, host = '127.0.0.1'): Promise<RawReceiver> {
    const server = createServer();
    const receiver = new RawReceiver(server);
    server.on('connection', (socket) => {
      receiver.sockets.push(socket);
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const [head = '', body = ''] = text.split('\r\n\r\n', 2);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (!text.includes('\r\n\r\n') || body.length < length) return;
        receiver.requests.push(text);
        answer(socket, text);
        text = '';
      });
    });
    server.listen(0, host);
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A whole response. */
export function response(status: number, headers: readonly string[] = [], body = ''): string {
  return [`HTTP/1.1 ${status} Some reason`, ...headers, `content-length: ${Buffer.byteLength(body)}`, '', body].join(
    '\r\n',
  );
}

/** Resolves when the socket is closed, by whom and however. */
export function closeOf(socket: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (socket === undefined || socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** The receivers of a test. */
export class RawReceivers {
  readonly all: RawReceiver[] = [];

  /** As `RawReceiver.start`; `stop` ends it. */
  async start(answer: (socket: Socket, request: string) => void): Promise<RawReceiver> {
    const started = await RawReceiver.start(answer);
    this.all.push(started);
    return started;
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.splice(0).map((one) => one.stop()));
  }
}
