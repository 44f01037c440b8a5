import { networkInterfaces } from 'node:os';
import { addressKey, parseAddress } from './address.policy.js';

/** A host of our own that no customer's URL may lead to. */
export interface RefusedHost {
  /** A name or an address, in lower case. */
  readonly host: string;
  /** null: every port. */
  readonly port: number | null;
  /** The addresses of the name may be those of others too, as with a CDN: it is compared by its name alone. */
  readonly isSharedAddress?: boolean;
}

/**
 * Reads `host[:port],…`; an IPv6 address with a port is in brackets. Hosts become what they are in a URL.
 *
 * @throws Error that quotes the faulty item
 */
export function parseRefusedHosts(text: string): readonly RefusedHost[] {
  return text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
    .map(parseRefusedHost);
}

/** Whether a URL's own host and port are among them. */
export function isRefusedName(refused: readonly RefusedHost[], host: string, port: number): boolean {
  return refused.some((own) => own.host === host && isPortOf(own, port));
}

/**
 * Judges addresses for a port: whether an address is among them. A host of ours that is this machine is refused at all of its addresses: what
 * listens on every interface is reached through each.
 *
 * What is ours is looked up once, however many addresses a name has.
 */
export function refusedAddresses(refused: readonly RefusedHost[], port: number): (address: string) => boolean {
  const own = refused.filter((one) => isPortOf(one, port));
  if (own.length === 0) return () => false;
  const keys = new Set(own.map(({ host }) => addressKey(host)));
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const machine = new Set(interfaces.map(addressKey));
  const isThisMachine = (address: string): boolean => isOfItself(address) || machine.has(addressKey(address));
  const isMachineOwn = own.some(
    ({ host }) => host === 'localhost' || (parseAddress(host) !== null && isThisMachine(host)),
  );
  return (address) => {
    const key = addressKey(address);
    return key !== null && (keys.has(key) || (isMachineOwn && isThisMachine(address)));
  };
}

function parseRefusedHost(item: string): RefusedHost {
  const match = /^(\[[0-9a-f:.]+\]|[^:/?#@\\[\]\s]+)(?::(\d{1,5}))?$/.exec(item);
  const host = URL.parse(`http://${match?.[1] ?? ''}`)?.hostname.replace(/^\[|\]$/g, '');
  const port = match?.[2] === undefined ? null : Number(match[2]);
  // A pattern or a range would refuse nothing.
  if (host !== undefined && /^[\w.:-]+$/.test(host) && (port === null || (port >= 1 && port <= 65_535)))
    return { host, port };
  throw new Error(`"${item}" must be host[:port], a name or an address without scheme, path, wildcard or range`);
}

function isPortOf(own: RefusedHost, port: number): boolean {
  return own.port === null || own.port === port;
}

/** Whatever machine it is. */
function isOfItself(address: string): boolean {
  const range = parseAddress(address)?.range();
  return range === 'loopback' || range === 'unspecified';
}
