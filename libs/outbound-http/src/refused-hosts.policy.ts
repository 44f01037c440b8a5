import { networkInterfaces } from 'node:os';
import { isSameAddress, parseAddress } from './address.policy.js';

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
 * Reads `host[:port],…`; an IPv6 address with a port is in brackets.
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
 * Whether an address and port are among them. A host of ours that is this machine is refused at all of its addresses: what
 * listens on every interface is reached through each.
 */
export function isRefusedAddress(refused: readonly RefusedHost[], address: string, port: number): boolean {
  return refused.some((own) => {
    if (!isPortOf(own, port)) return false;
    if (own.host === 'localhost' || isThisMachine(own.host)) return isThisMachine(address);
    return isSameAddress(own.host, address);
  });
}

function parseRefusedHost(item: string): RefusedHost {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(item);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined) throw new Error(`"${item}" is no host[:port]`);
  return { host, port: match?.[3] === undefined ? null : Number(match[3]) };
}

function isPortOf(own: RefusedHost, port: number): boolean {
  return own.port === null || own.port === port;
}

function isThisMachine(address: string): boolean {
  const range = parseAddress(address)?.range();
  if (range === 'loopback' || range === 'unspecified') return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((known) => isSameAddress(known.address, address)));
}
