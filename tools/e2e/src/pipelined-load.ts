import { connect, type Socket } from 'node:net';

/** One request of the load. */
export interface LoadedRequest {
  /** Monotonic milliseconds just before its bytes were written. */
  readonly beganMs: number;
  /** 0 while it has no answer. */
  status: number;
}

/**
 * Asks the same over many connections that are kept, several requests under way on each, until it is stopped: raw
 * sockets, for a client of Node's would decide by itself when a request begins.
 */
export class PipelinedLoad {
  /** Every request so far, in the order in which they began. */
  readonly requests: LoadedRequest[] = [];
  private readonly sockets: Socket[] = [];
  private isStopping = false;

  /** @param depth requests under way on a connection */
  constructor(
    private readonly target: { readonly url: string; readonly head: string },
    connections: number,
    private readonly depth: number,
  ) {
    for (let index = 0; index < connections; index++) this.open();
  }

  /** Begins nothing more, waits for what is under way, and closes the connections. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(
      this.sockets.map(
        (socket) => new Promise<void>((done) => (socket.destroyed ? done() : socket.once('close', done))),
      ),
    );
  }

  private open(): void {
    const { hostname, port } = new URL(this.target.url);
    const socket = connect(Number(port), hostname);
    const underWay: LoadedRequest[] = [];
    let received = '';
    const fill = (): void => {
      while (!this.isStopping && underWay.length < this.depth) {
        const request = { beganMs: performance.now(), status: 0 };
        underWay.push(request);
        this.requests.push(request);
        socket.write(this.target.head);
      }
      if (this.isStopping && underWay.length === 0) socket.destroy();
    };
    socket.on('connect', fill);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let end = endOfAnswer(received); end !== -1; end = endOfAnswer(received)) {
        const answered = underWay.shift();
        if (answered) answered.status = Number(received.slice(9, 12));
        received = received.slice(end);
      }
      fill();
    });
    socket.on('error', () => socket.destroy());
    this.sockets.push(socket);
  }
}

/** Where the first answer ends; -1 while it is not all there. */
function endOfAnswer(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return -1;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : -1;
}
