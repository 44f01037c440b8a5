import { connect, type Socket } from 'node:net';
import { undescribedOf } from '@switchboard/check/description/described-answers';
import { rawAnswer } from './raw-answer.js';

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
  private readonly undescribed = new Set<string>();
  private isStopping = false;

  /**
   * @param target its head is of one request without a body
   * @param depth requests under way on a connection
   */
  constructor(
    private readonly target: { readonly url: string; readonly head: string },
    connections: number,
    private readonly depth: number,
  ) {
    for (let index = 0; index < connections; index++) this.open();
  }

  /**
   * Begins nothing more, waits for what is under way, and closes the connections.
   *
   * @throws Error that names what of the answers is not described
   */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(
      this.sockets.map(
        (socket) => new Promise<void>((done) => (socket.destroyed ? done() : socket.once('close', done))),
      ),
    );
    if (this.undescribed.size > 0) throw new Error(`not answered as described: ${[...this.undescribed].join('; ')}`);
  }

  private open(): void {
    const { hostname, port } = new URL(this.target.url);
    const [method = '', target = ''] = this.target.head.split(' ');
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
      for (let answer = rawAnswer(received); answer !== null; answer = rawAnswer(received)) {
        const answered = underWay.shift();
        if (answered) answered.status = answer.status;
        for (const problem of undescribedOf({ method, target, ...answer })) {
          this.undescribed.add(`${answer.status}: ${problem}`);
        }
        received = received.slice(answer.bytes);
      }
      fill();
    });
    socket.on('error', () => socket.destroy());
    this.sockets.push(socket);
  }
}
