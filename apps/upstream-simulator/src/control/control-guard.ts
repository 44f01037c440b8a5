import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/** Why a request to the control surface is refused before it is read. */
export interface GuardRefusal {
  readonly status: 403 | 415;
  readonly message: string;
}

/** Names of this machine to itself. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Keeps pages of other sites from the control surface, which asks for no credentials: a page whose name leads to this machine
 * (DNS rebinding) shows its own `Host`, any page that sends something shows an `Origin`, and a form cannot send JSON.
 *
 * @param hosts further names under which the simulator is reached, without ports
 */
export function controlGuard(hosts: readonly string[]): (request: IncomingMessage) => GuardRefusal | null {
  const own = new Set([...LOOPBACK, ...hosts.map((host) => (isIP(host) === 6 ? `[${host}]` : host).toLowerCase())]);
  return ({ headers, method }) => {
    const host = (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
    if (!own.has(host)) return { status: 403, message: 'The header `Host` must be a name of the simulator' };
    if (headers.origin !== undefined) return { status: 403, message: 'Pages of browsers have no access' };
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
    if (method === 'GET' || !hasBody || isJson) return null;
    return { status: 415, message: 'The body must be JSON, and `Content-Type` application/json' };
  };
}
