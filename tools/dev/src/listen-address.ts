import { isIPv6 } from 'node:net';

/** Where a program of this machine reaches what listens on a host: on loopback where that is every address. */
export function urlWithin(host: string, port: number | string): string {
  const bare = bareOf(host);
  if (bare === '0.0.0.0') return `http://127.0.0.1${portOf(port)}`;
  if (bare === '::') return `http://[::1]${portOf(port)}`;
  return `http://${isIPv6(bare) ? `[${bare}]` : bare}${portOf(port)}`;
}

/** What people are shown of it: `localhost` wherever that leads there. */
export function shownUrl(host: string, port: number | string): string {
  return ['127.0.0.1', '0.0.0.0', '::1', '::'].includes(bareOf(host))
    ? `http://localhost${portOf(port)}`
    : urlWithin(host, port);
}

/** The end of a URL of http. A `URL` has an empty port where it is 80. */
function portOf(port: number | string): string {
  return port === '' || Number(port) === 80 ? '' : `:${port}`;
}

/** A URL has brackets around an address of IPv6. */
function bareOf(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
