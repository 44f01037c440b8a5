import type { Json, JsonObject } from '@switchboard/check/description/closed-schemas';

/** Texts at and beyond every bound that a parameter's schema names, as they stand in a query or a path. */
export function queryCandidates(schema: JsonObject): readonly string[] {
  return valuesFor(schema).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}

/** The same as they stand in a header: HTTP takes white space at the ends away. */
export function headerCandidates(schema: JsonObject): readonly string[] {
  return queryCandidates(schema).filter((text) => text === text.trim());
}

/** Bodies of which one field is at or beyond every bound that its schema names, is of another type, or is missing. */
export function bodyCandidates(schema: JsonObject, examples: readonly JsonObject[]): readonly JsonObject[] {
  return Object.entries(Object(schema['properties']) as Record<string, JsonObject>).flatMap(([name, field]) =>
    examples.flatMap((example) => {
      const { [name]: _left, ...without } = example;
      return [without, ...valuesFor(field).map((value) => ({ ...example, [name]: value }))];
    }),
  );
}

/** Whether a text in a query is one that the schema means: a number or a truth value has one form alone. */
export function isWritten(text: string, schema: JsonObject, isValid: (value: Json) => boolean): boolean {
  switch (schema['type']) {
    case 'integer':
      return String(Number(text)) === text && isValid(Number(text));
    case 'boolean':
      return (text === 'true' || text === 'false') && isValid(text === 'true');
    default:
      return isValid(text);
  }
}

const CUID_LENGTHS = [5, 6, 7, 24, 30, 31, 32];
const MOMENTS =
  '2100-01-02 2100-01-02T03:04 2100-01-02T03:04:05.678+05:30 2100-1-2 now 2100-01-02T25:00 4102444800'.split(' ');
/** At and beyond the bounds of texts in printable ASCII, and of their length where it is 200. */
const PRINTED = [
  '!',
  '~',
  'a b',
  'a\tb',
  'a\u007f',
  '\u00e9',
  '😀',
  ...[199, 200, 201].map((length) => 'a'.repeat(length)),
];
/** Among them the longest, and those of which one part is too long, within the length of the whole or not. */
const EMAILS = [
  'a@example.org',
  'a',
  '@example.org',
  'a b@example.org',
  emailOf(63, 255),
  emailOf(64, 255),
  emailOf(65, 255),
  emailOf(64, 256),
  emailOf(65, 200),
  emailOf(10, 256),
  'a@example.c',
  'a@example.123',
  `a@${'b'.repeat(63)}.org`,
  `a@${'b'.repeat(64)}.org`,
  'a@-b.org',
  'a@b-.org',
  'a@b..org',
];

/** Values at and beyond the bounds of a schema, and of every type that it may not be. */
function valuesFor(schema: JsonObject): readonly Json[] {
  const others: readonly Json[] = [null, true, 5, 1.5, [], {}, ['a'], ''];
  const words = Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : [];
  const texts = words.flatMap((word): readonly Json[] =>
    typeof word === 'string' ? [word, word.toLowerCase(), `${word} `, `${word}S`] : [word],
  );
  return [...others, ...texts, ...lengthsOf(schema), ...numbersOf(schema), ...formsOf(schema)];
}

/** Of characters that are one UTF-16 unit, and of those that are two: lengths are counted in code points. */
function lengthsOf({ minLength, maxLength, format }: JsonObject): readonly string[] {
  const bounds = [minLength, maxLength].filter((bound) => typeof bound === 'number');
  if (format !== undefined) return [];
  const lengths = bounds.flatMap((bound) => [Math.max(0, bound - 1), bound, bound + 1]);
  return lengths.flatMap((length) => ['a'.repeat(length), '😀'.repeat(length), '\u00e9'.repeat(length)]);
}

function numbersOf({ minimum, maximum }: JsonObject): readonly Json[] {
  const bounds = [minimum, maximum].filter((bound) => typeof bound === 'number');
  const written = ['05', '+5', ' 5', '5 ', '1e1', '0x5', '5.0', 'five', '-5', '99999999999'];
  return bounds.length === 0 ? [] : [...bounds.flatMap((bound) => [bound - 1, bound, bound + 1]), ...written];
}

function formsOf({ format, pattern, type }: JsonObject): readonly string[] {
  if (type === 'boolean') return ['true', 'false', 'TRUE', 'yes', '1', '0'];
  if (format === 'email') return EMAILS;
  if (format === 'cuid')
    return [
      ...CUID_LENGTHS.map((length) => `c${'0'.repeat(length)}`),
      `d${'0'.repeat(24)}`,
      `c${'A'.repeat(24)}`,
      'c0000000\n',
    ];
  return pattern === undefined ? [] : [...MOMENTS, ...PRINTED];
}

/** An address whose parts have so many characters, with labels no longer than DNS takes. */
function emailOf(localLength: number, domainLength: number): string {
  const labels = Array.from({ length: domainLength - 4 }, (_, place) => (place % 61 === 60 ? '.' : 'b'));
  return `${'a'.repeat(localLength)}@${labels.join('')}.org`;
}
