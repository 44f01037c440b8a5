import * as net from 'node:net';

/** A bound socket on which processes of a service accept, one after the other or several at once. */
export interface PublicSocket {
  /** To be handed over to a process as its descriptor 3. */
  readonly fd: number;
  readonly port: number;
  close(): void;
}

/** A handle of Node's own; its maker has no public name, but is what `node:cluster` shares sockets with. */
interface ServerHandle {
  readonly fd: number;
  getsockname(out: { port?: number }): number;
  close(): void;
}

/**
 * Binds without listening: the first process that accepts makes it listen, and while none does the kernel keeps what
 * connects. So replacing a gateway refuses no connection.
 *
 * @returns undefined where this Node cannot: the process then binds by itself
 * @throws Error with the system's code when the address cannot be bound
 */
export function openPublicSocket(host: string, port: number): PublicSocket | undefined {
  const make = (net as unknown as Record<string, unknown>)['_createServerHandle'];
  if (typeof make !== 'function') return undefined;
  const family = net.isIPv6(host) ? 6 : 4;
  const handle = make(host, port, family) as ServerHandle | number;
  if (typeof handle === 'number') throw new Error(`Port ${port} cannot be used on ${host} (error ${-handle}).`);
  const name: { port?: number } = {};
  handle.getsockname(name);
  return { fd: handle.fd, port: name.port ?? port, close: () => handle.close() };
}
