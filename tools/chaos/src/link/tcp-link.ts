import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A wire between a service and a server, which can be broken in two ways.
 *
 * `freeze`: nothing passes any more and nothing is closed, as when a machine or a middlebox vanishes without a
 * signal to either side. `cut`: every connection is reset and new ones are refused, as when the server's process is gone.
 */
export class TcpLink {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private state: 'whole' | 'frozen' | 'cut' = 'whole';
  private target: { readonly host: string; readonly port: number } | undefined;

  private constructor(private port: number) {
    // Half-open stays half-open: an end of one side is passed on by us, not by the socket.
    this.server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => this.join(socket));
  }

  /** A link that leads nowhere yet, on a port that the kernel chooses. */
  static async open(): Promise<TcpLink> {
    const link = new TcpLink(0);
    await link.listen();
    return link;
  }

  /** The URL with this link in the place of its server, where the link leads from now on. */
  through(url: string): string {
    const parsed = new URL(url);
    this.target = { host: parsed.hostname, port: Number(parsed.port) };
    parsed.host = `127.0.0.1:${this.port}`;
    return url.endsWith('/') ? parsed.href : parsed.href.replace(/\/$/, '');
  }

  /** Nothing passes any more; what is connected stays so, and who connects is accepted and not served. */
  freeze(): void {
    this.state = 'frozen';
    for (const socket of this.sockets) socket.pause();
  }

  /** Resets every connection and refuses new ones. */
  async cut(): Promise<void> {
    this.state = 'cut';
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Whole again: frozen connections go on where they were, new ones are taken. */
  async heal(): Promise<void> {
    const before = this.state;
    this.state = 'whole';
    if (before === 'cut') await this.listen();
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    if (this.state !== 'cut') await this.cut();
  }

  private async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, '127.0.0.1', () => resolve());
    });
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(near: Socket): void {
    if (this.target === undefined) return void near.resetAndDestroy();
    const far = connect({ ...this.target, allowHalfOpen: true });
    far.pause();
    this.pass(near, far);
    this.pass(far, near);
    if (this.state === 'frozen') return;
    near.resume();
    far.resume();
  }

  private pass(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      // A receiver that is slow holds the sender up, as a wire does; a frozen one takes nothing at all.
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => {
      if (this.state === 'whole') from.resume();
    });
    from.on('end', () => to.end());
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.sockets.delete(from);
      if (this.state === 'whole') to.destroySoon();
    });
  }
}
