import { isIPv6 } from 'node:net';

/** Where a program of this machine reaches what listens on a host: on loopback where that is every address. */
export function urlWithin(host: string, port: number | string): string {
  const bare = bareOf(host);
  if (bare === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (bare === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(bare) ? `[${bare}]` : bare}:${port}`;
}

/** What people are shown of it: `localhost` wherever that leads there. */
export function shownUrl(host: string, port: number | string): string {
  return ['127.0.0.1', '0.0.0.0', '::1', '::'].includes(bareOf(host))
    ? `http://localhost:${port}`
    : urlWithin(host, port);
}

/** A URL has brackets around an address of IPv6. */
function bareOf(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
