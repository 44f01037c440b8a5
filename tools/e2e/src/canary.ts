import { randomBytes } from 'node:crypto';

/** What a canary stands for. */
export type CanaryKind = 'phone' | 'text' | 'name' | 'secret';

/** A value that is easy to find again, to see where such values get to. */
export interface Canary {
  readonly kind: CanaryKind;
  /** What it is, for messages; the value of a secret is left out. */
  readonly what: string;
  /** A phone: its national digits, whatever surrounds them. */
  readonly value: string;
}

/** A new canary of a text or a name. */
export function newCanary(kind: 'text' | 'name', what: string): Canary {
  return { kind, what, value: `canary-${kind}-${randomBytes(6).toString('hex')}` };
}

/** What stands between the digits of a number as people and URLs write it. */
const SEPARATORS = /%2B|%28|%29|%20|%2D|[\s().+\-/]/gi;

/** What a value looks like in base 64, by value: asked for with each of thousands of texts. */
const encoded = new Map<string, string>();

function inBase64(value: string): string {
  const known = encoded.get(value) ?? Buffer.from(value).toString('base64').replace(/.?=*$/, '');
  encoded.set(value, known);
  return known;
}

/** The canaries that a text holds: as they are, in base 64, or, for a phone, however it is written. */
export function canariesIn(text: string, canaries: readonly Canary[]): Canary[] {
  if (text === '') return [];
  const digits = text.replace(SEPARATORS, '');
  return canaries.filter(({ kind, value }) => {
    if (kind === 'phone') return digits.includes(value);
    return text.includes(value) || text.includes(inBase64(value));
  });
}
