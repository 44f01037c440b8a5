import { isIP, isIPv6 } from 'node:net';

/**
 * The network that an address counts for where failures are limited: an IPv4 address by itself, of IPv6 the first 64 bits,
 * which one customer has. An IPv4 address that is written as IPv6 counts as IPv4.
 *
 * @param address as a socket or a trusted proxy shows it, with or without a zone
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped) return mapped[1] ?? bare;
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':');
}

/**
 * `X-Forwarded-For` with addresses alone: ports are cut, as some proxies write them, and so is all that is left of what is
 * no address, because only a proxy behind it could have vouched for it.
 */
export function forwardedAddresses(header: string): string {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = addressOf(entry.trim());
    if (address === null) break;
    addresses.unshift(address);
  }
  return addresses.join(', ');
}

/** @param text `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80` */
function addressOf(text: string): string | null {
  const written = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+)(?::\d{1,5})?$/.exec(text);
  const address = written?.[1] ?? text;
  return isIP(address) === 0 ? null : address;
}
