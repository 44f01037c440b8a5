import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  getCountries,
  getExampleNumber,
  isValidPhoneNumber,
  type CountryCode,
  type NationalNumber,
} from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import { needsRegion, parsePhone, phoneFromDigits } from './index.js';

const phoneOf = (input: string, region?: string): string | null => parsePhone(input, region)?.phone ?? null;
const canonicalOf = (input: string, region?: string): string | null => parsePhone(input, region)?.aliases[0] ?? null;

const examples = getCountries().flatMap((region) => {
  const example = getExampleNumber(region, mobileExamples as Record<CountryCode, NationalNumber>);
  return example ? [{ region, example }] : [];
});

/** A valid number near a country's example: its last four digits are drawn anew. */
const number = fc
  .tuple(fc.constantFrom(...examples), fc.integer({ min: 0, max: 9999 }))
  .map(([{ region, example }, tail]) => ({
    region,
    e164: example.number.slice(0, -4) + String(tail).padStart(4, '0'),
  }))
  .filter(({ e164 }) => isValidPhoneNumber(e164));

const separator = fc.constantFrom('', ' ', '\u00a0', '\u2009', '-', '\u2011', '\u2013', '.', ' (', ') ', '[', '\u200e');
const separators = fc.array(separator, { minLength: 20, maxLength: 20 });
const decorate = (digits: string, marks: readonly string[]): string =>
  [...digits].map((digit, index) => digit + (marks[index] ?? '')).join('');

describe('every written form of one number gives one canonical form', () => {
  it('draws from at least 60 countries', () => {
    expect(examples.length).toBeGreaterThanOrEqual(60);
    for (const { example } of examples) expect(phoneOf(example.number)).toBe(example.number);
  });

  it('whatever the prefix, the punctuation and the width of the digits', () => {
    fc.assert(
      fc.property(
        number,
        separators,
        fc.constantFrom('+', '00', 'tel:+', 'TEL:+', ' + ', '(+', '\uff0b', '\u202a+'),
        ({ e164 }, marks, prefix) => {
          const parsed = parsePhone(prefix + decorate(e164.slice(1), marks));
          expect(parsed?.phone).toBe(e164);
          expect(parsed?.aliases).toContain(e164);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('nationally with the region, and only with it', () => {
    for (const { region, example } of examples) {
      const national = example.formatNational();
      expect(canonicalOf(national, region)).toBe(canonicalOf(example.number));
      expect(needsRegion(national)).toBe(true);
      expect(parsePhone(national)).toBeNull();
    }
  });

  it('and each alias leads back to the same aliases', () => {
    fc.assert(
      fc.property(number, ({ e164 }) => {
        const aliases = parsePhone(e164)?.aliases ?? [];
        for (const alias of aliases) {
          expect(parsePhone(alias)).toEqual({ phone: alias, aliases });
          expect(phoneFromDigits(alias.slice(1))).toEqual({ phone: alias, aliases });
        }
      }),
    );
  });
});

describe('countries with two written forms', () => {
  const mexico = ['+525512345678', '+5215512345678'];
  const argentina = ['+5491123456789', '+541123456789'];
  const brazil = ['+5511961234567', '+551161234567'];

  it.each([
    ['+52 1 55 1234 5678', undefined, '+5215512345678', mexico],
    ['+52 55 1234 5678', undefined, '+525512345678', mexico],
    ['+52 044 55 1234 5678', undefined, '+525512345678', mexico],
    ['55 1234 5678', 'MX', '+525512345678', mexico],
    ['1 55 1234 5678', 'MX', '+5215512345678', mexico],
    ['01 55 1234 5678', 'MX', '+525512345678', mexico],
    ['044 55 1234 5678', 'MX', '+525512345678', mexico],
    ['521 55 1234 5678', 'MX', '+5215512345678', mexico],
    ['+54 9 11 2345-6789', undefined, '+5491123456789', argentina],
    ['+54 11 2345-6789', undefined, '+541123456789', argentina],
    ['+54 11 15 2345-6789', undefined, '+5491123456789', argentina],
    ['+54 9 11 15 2345-6789', undefined, '+5491123456789', argentina],
    ['011 15-2345-6789', 'AR', '+5491123456789', argentina],
    ['11 15 2345 6789', 'AR', '+5491123456789', argentina],
    ['11 2345 6789', 'AR', '+541123456789', argentina],
    ['54 9 11 2345 6789', 'AR', '+5491123456789', argentina],
    ['+55 11 96123-4567', undefined, '+5511961234567', brazil],
    ['+55 11 6123-4567', undefined, '+551161234567', brazil],
    ['(11) 96123-4567', 'BR', '+5511961234567', brazil],
    ['(11) 6123-4567', 'BR', '+551161234567', brazil],
    ['0 15 11 6123-4567', 'BR', '+551161234567', brazil],
    ['55 11 6123-4567', 'BR', '+551161234567', brazil],
    ['+55 11 91234-5678', undefined, '+5511912345678', ['+5511912345678', '+551112345678']],
    ['+55 11 1234-5678', undefined, '+551112345678', ['+5511912345678', '+551112345678']],
    ['55 11 1234-5678', 'BR', '+551112345678', ['+5511912345678', '+551112345678']],
    ['+55 11 0123-4567', undefined, '+551101234567', ['+5511901234567', '+551101234567']],
  ])('%s (%s) is %s with its other form', (input, region, phone, aliases) => {
    expect(parsePhone(input, region)).toEqual({ phone, aliases });
  });

  it('keeps a Brazilian fixed line apart from the mobile that differs by a nine', () => {
    expect(parsePhone('+55 11 3123-4567')?.aliases).toEqual(['+551131234567']);
    expect(parsePhone('+55 11 93123-4567')?.aliases).toEqual(['+5511931234567']);
  });

  it.each(['+52 1 55 1234 567', '+52 1 123 456 7890', '+55 20 6123-4567', '+55 11 612-4567', '+54 9 11 2345-678'])(
    'still refuses %s',
    (input) => {
      expect(parsePhone(input)).toBeNull();
    },
  );
});

describe('what cannot be a phone number is refused', () => {
  it.each([
    ['nothing', ''],
    ['punctuation alone', '+'],
    ['spaces alone', '  '],
    ['letters', '+1 201 555 010x'],
    ['vanity', '+1 800 FLOWERS'],
    ['an extension', '+1 201 555 0100 ext 5'],
    ['an extension of a tel address', 'tel:+12015550100;ext=5'],
    ['a phone context', 'tel:5550100;phone-context=+1201'],
    ['two pluses', '++12015550100'],
    ['a plus inside', '+1201+5550100'],
    ['a plus after the prefix', '00+12015550100'],
    ['two numbers', '+12015550100, +12015550101'],
    ['a line break', '+1201\n5550100'],
    ['a slash', '+49 30/901820'],
    ['Arabic digits', '+\u0661\u0662\u0660\u0661\u0665\u0665\u0665\u0660\u0661\u0660\u0660'],
    ['sixteen digits', '+1201555010012345'],
    ['too few digits', '+1 201 555'],
    ['an unassigned country code', '+999 1234 5678'],
    ['an area code that starts with 1', '+1 123 456 7890'],
    ['an endless input', `+1${' '.repeat(100)}2015550100`],
  ])('%s', (_what, input) => {
    expect(parsePhone(input, 'US')).toBeNull();
  });

  it('and no input at all makes it throw', () => {
    const alphabet = fc.constantFrom(...'+0123456789 -().tel:x;\u00a0\uff11\ud83d');
    fc.assert(
      fc.property(
        fc.array(alphabet, { maxLength: 40 }),
        fc.constantFrom(undefined, 'MX', 'AR', 'BR', 'US', 'XX'),
        (chars, region) => {
          const parsed = parsePhone(chars.join(''), region);
          if (parsed) expect(parsed.phone).toMatch(/^\+[1-9]\d{5,14}$/);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('regions and ids', () => {
  it('accepts the whole fictional range of the magic recipients', () => {
    for (let tail = 0; tail < 100; tail += 1) {
      const e164 = `+120155501${String(tail).padStart(2, '0')}`;
      expect(phoneOf(e164)).toBe(e164);
    }
  });

  it('asks for a region for national forms alone', () => {
    expect(['55 1234 5678', '(201) 555-0100'].map(needsRegion)).toEqual([true, true]);
    expect(['+52 55 1234 5678', '0044 7400 123456', 'tel:+12015550100', 'x', ''].map(needsRegion)).toEqual(
      Array(5).fill(false),
    );
  });

  it('lets an international form win over the region, and an unknown region be none', () => {
    expect(phoneOf('+44 7400 123456', 'MX')).toBe('+447400123456');
    expect(phoneOf('+44 (0)7400 123456')).toBe('+447400123456');
    expect(parsePhone('7400 123456', 'XX')).toBeNull();
    expect(phoneOf('\uff10\uff17\uff14\uff10\uff10 123456', 'GB')).toBe('+447400123456');
  });

  it('never refuses the digits of an upstream sender, and lists their other form', () => {
    expect(phoneFromDigits('15550783881')).toEqual({ phone: '+15550783881', aliases: ['+15550783881'] });
    expect(phoneFromDigits('551161234567')?.aliases).toEqual(['+5511961234567', '+551161234567']);
    expect(['12345', '1234567890123456', '+12015550100', 'US.1A2B', ''].map(phoneFromDigits)).toEqual(
      Array(5).fill(null),
    );
  });
});
