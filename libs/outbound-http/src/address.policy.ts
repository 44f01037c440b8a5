import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * Of IPv6 only this block is assigned to hosts on the Internet. The library counts what is outside of it and has no purpose
 * yet, or not any more (`::a.b.c.d`), as ordinary. Source: IANA, "IPv6 Address Space".
 */
const globalUnicast = ranges('2000::/3');

/**
 * Where clouds answer with credentials: every link-local address, and what they use elsewhere (Azure, Oracle, Alibaba,
 * Amazon and Google, in this order; then Oracle, Scaleway, Akamai and Alibaba by IPv6).
 */
const metadata = ranges(
  '169.254.0.0/16',
  'fe80::/10',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128',
  'fd00:100::100:200/128',
);

/** Blocks in which `WEBHOOKS_ALLOW_PRIVATE` allows receivers. */
const privateRanges = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/**
 * Whether a request may be sent to an address.
 *
 * Refuses every IPv6 address that carries an IPv4 one (mapped, compatible, translated, 6to4, NAT64, Teredo, ISATAP): no
 * receiver needs such a form, and what it leads to depends on the network.
 *
 * @param text an address as a resolver or a socket states it.
 * @param allowPrivate allows private and loopback addresses; those of metadata services stay refused.
 * Source: docs/api-behaviour.md#webhooks-url.
 */
export function isAllowedAddress(text: string, allowPrivate: boolean): boolean {
  const address = parseAddress(text);
  if (address === null || isIn(address, metadata)) return false;
  if (isPublic(address)) return true;
  return allowPrivate && privateRanges.has(address.range());
}

/** The address, or null for what is none. */
export function parseAddress(text: string): Address | null {
  // The library also reads `127.1` and `0x7f000001`, which no resolver or socket returns.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.parse(text);
}

/** The same for all texts of one address; null for what is none. */
export function addressKey(text: string): string | null {
  return parseAddress(text)?.toNormalizedString() ?? null;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (isIn(address, globalUnicast) && !isIsatap(address));
}

/** An interface identifier that carries an IPv4 address, in any network. Source: RFC 5214, 6.1. */
function isIsatap(address: Address): boolean {
  const parts = address instanceof ipaddr.IPv6 ? address.parts : [];
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200);
}

function isIn(address: Address, list: readonly Range[]): boolean {
  return list.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

function ranges(...blocks: readonly string[]): readonly Range[] {
  return blocks.map((block) => ipaddr.parseCIDR(block));
}
