import { BlockList, isIP } from 'node:net';

/** Whose forwarded headers are believed: no one's, those of so many proxies in front, or those of these addresses and CIDRs. */
export type TrustedProxies = false | number | readonly string[];

/** More proxies stand in front of no gateway. */
const HOPS_MAX = 16;

/**
 * Reads `TRUST_PROXY`: a number of proxies, or addresses and CIDRs by comma.
 *
 * @throws Error with what was expected
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (/^\d+$/.test(text.trim())) {
    const hops = Number(text);
    if (hops >= 1 && hops <= HOPS_MAX) return hops;
    throw new Error(`must be a number of proxies from 1 to ${HOPS_MAX}, or addresses and CIDRs by comma`);
  }
  const entries = text.split(',').map((entry) => entry.trim());
  const wrong = entries.find((entry) => subnetOf(entry) === null);
  if (wrong === undefined) return entries;
  const why = /^\d+$/.test(wrong) ? 'is a number among addresses' : 'is neither';
  throw new Error(`must be a number of proxies, or addresses and CIDRs by comma; ${JSON.stringify(wrong)} ${why}`);
}

/**
 * Whether a hop is trusted, as Fastify asks it: hop 0 is the other end of the connection, each further one an entry of
 * `X-Forwarded-For` from the right. Given a number, Fastify itself would trust no proxy at all.
 */
export function trustOf(proxies: TrustedProxies): false | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  const list = new BlockList();
  for (const subnet of proxies.flatMap((entry) => subnetOf(entry) ?? [])) {
    list.addSubnet(subnet.address, subnet.prefix, subnet.family);
  }
  return (address) => {
    const [bare = ''] = (address ?? '').split('%');
    const family = isIP(bare);
    // An IPv4 peer of a socket that listens on IPv6 as well is matched by the rules for IPv4.
    return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
  };
}

interface Subnet {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

function subnetOf(entry: string): Subnet | null {
  const [address = '', prefixText, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return null;
  const bits = version === 4 ? 32 : 128;
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return null;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  return prefix > bits ? null : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
