import type { Notation } from '@switchboard/testing/address-notations';
import ipaddr from 'ipaddr.js';

/** First, middle and last address of a block. */
export function samplesOf(block: string): readonly string[] {
  const [network, bits] = ipaddr.parseCIDR(block);
  const bytes = network.toByteArray();
  const size = bytes.length * 8;
  const start = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const count = 1n << BigInt(size - bits);
  const samples = [start, start + count / 3n, start + count - 1n].map((value) => {
    const hex = value.toString(16).padStart(size / 4, '0');
    return ipaddr.fromByteArray([...Buffer.from(hex, 'hex')]).toString();
  });
  return [...new Set(samples)];
}

/** Ways to write an IPv6 address as a host. */
export const ipv6Notations: Readonly<Record<string, Notation>> = {
  short: (address) => `[${address}]`,
  'in full': (address) => `[${inFull(address)}]`,
  'upper case': (address) => `[${address.toUpperCase()}]`,
  'with a zone': (address) => `[${address}%25lo]`,
  'dotted end': (address) => `[${dottedEnd(address)}]`,
  'resolved name': () => null,
};

function inFull(address: string): string {
  return ipaddr.IPv6.parse(address)
    .parts.map((part) => part.toString(16).padStart(4, '0'))
    .join(':');
}

function dottedEnd(address: string): string {
  const bytes = ipaddr.IPv6.parse(address).toByteArray();
  const head = ipaddr.IPv6.parse(address)
    .parts.slice(0, 6)
    .map((part) => part.toString(16));
  return `${head.join(':')}:${bytes.slice(12).join('.')}`;
}
