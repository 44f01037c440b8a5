/** A way to write an address in a URL; null for an address that has no such form. */
export type Notation = (address: string) => string | null;

/** Ways to write an IPv4 address as a host. */
export const ipv4Notations: Readonly<Record<string, Notation>> = {
  dotted: (address) => address,
  'trailing dot': (address) => `${address}.`,
  'trailing full-width dot': (address) => `${address}。`,
  decimal: (address) => String(numberOf(address)),
  hexadecimal: (address) => `0x${numberOf(address).toString(16)}`,
  octal: (address) => `0${numberOf(address).toString(8)}`,
  'octal parts': (address) =>
    partsOf(address)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  'hexadecimal parts': (address) =>
    partsOf(address)
      .map((part) => `0x${part.toString(16)}`)
      .join('.'),
  'padded parts': (address) =>
    partsOf(address)
      .map((part) => `000${part.toString(8)}`)
      .join('.'),
  'two parts': (address) => `${partsOf(address)[0]}.${numberOf(address) % 2 ** 24}`,
  'three parts': (address) => `${partsOf(address).slice(0, 2).join('.')}.${numberOf(address) % 2 ** 16}`,
  'full-width digits': (address) => address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  'circled digits': (address) => address.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit))),
  'ideographic dots': (address) => address.replaceAll('.', '。'),
  'percent-encoded': (address) => address.replaceAll('.', '%2e').replace(/^\d/, (digit) => `%3${digit}`),
  mapped: (address) => `[::ffff:${address}]`,
  'mapped, hexadecimal': (address) => `[::ffff:${groups(address)}]`,
  'mapped, in full': (address) => `[0000:0000:0000:0000:0000:FFFF:${groups(address).toUpperCase()}]`,
  compatible: (address) => `[::${address}]`,
  'translated (SIIT)': (address) => `[::ffff:0:${address}]`,
  NAT64: (address) => `[64:ff9b::${address}]`,
  'NAT64, local prefix': (address) => `[64:ff9b:1::${address}]`,
  '6to4': (address) => `[2002:${groups(address)}::1]`,
  'Teredo server': (address) => `[2001:0:${groups(address)}:8000::]`,
  'Teredo client': (address) => `[2001:0:4136:e378:8000:63bf:${groups(inverted(address))}]`,
  'ISATAP, link-local': (address) => `[fe80::5efe:${address}]`,
  'ISATAP, private': (address) => `[2a00:1450:4001:81::5efe:${address}]`,
  'ISATAP, global': (address) => `[2a00:1450:4001:81:200:5efe:${address}]`,
  'resolved name': () => null,
};

function partsOf(address: string): readonly number[] {
  return address.split('.').map(Number);
}

function numberOf(address: string): number {
  return partsOf(address).reduce((number, part) => number * 256 + part, 0);
}

function groups(address: string): string {
  const value = numberOf(address);
  return `${Math.floor(value / 65_536).toString(16)}:${(value % 65_536).toString(16)}`;
}

function inverted(address: string): string {
  return partsOf(address)
    .map((part) => 255 - part)
    .join('.');
}

/** Prints all forms that were tried in one way, by notation. */
export function printForms(way: string, forms: readonly { readonly notation: string; readonly host: string }[]): void {
  const lines = [...Map.groupBy(forms, ({ notation }) => notation)].map(
    ([notation, of]) => `  ${notation} (${of.length}): ${of.map(({ host }) => host).join(' ')}`,
  );
  process.stderr.write(`${way}: ${forms.length} forms, none connected\n${lines.join('\n')}\n`);
}
