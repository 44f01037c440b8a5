import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
  type CountryCode,
  type NationalNumber,
} from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/mobile/examples';
import { isKnownNumber } from './known-plan.policy.js';

const examples = getCountries().flatMap((region) => {
  const example = getExampleNumber(region, mobileExamples as Record<CountryCode, NationalNumber>);
  return example ? [example.number.slice(1)] : [];
});
const digit = fc.integer({ min: 0, max: 9 });
const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(digit, { minLength: min, maxLength: max }).map((all) => all.join(''));

/** Outside the plan: any digits behind a country code, a trunk prefix, or a number with digits changed, lost or added. */
const number = fc.oneof(
  fc
    .tuple(fc.constantFrom(...getCountries()), fc.constantFrom('', '0', '1', '8', '015'), digits(4, 12))
    .map(([region, prefix, rest]) => `${getCountryCallingCode(region)}${prefix}${rest}`),
  fc
    .tuple(fc.constantFrom(...examples), fc.nat(14), fc.nat(2), digits(0, 2))
    .map(([example, at, cut, put]) => example.slice(0, at) + put + example.slice(at + cut)),
  digits(1, 16),
);

/** The library's digits of a valid number. */
function byTheLibrary(international: string): string | null {
  const parsed = parsePhoneNumberFromString(`+${international}`, { extract: false });
  return parsed?.isValid() === true ? parsed.number.slice(1) : null;
}

describe('a number that the plan of its code says to be valid', () => {
  it('is valid for the library too, which leaves its digits as they are', () => {
    let known = 0;
    fc.assert(
      fc.property(number, (one) => {
        if (!isKnownNumber(one)) return;
        known++;
        expect(byTheLibrary(one)).toBe(one);
      }),
      { numRuns: 100_000 },
    );
    expect(known).toBeGreaterThan(5_000);
  });

  it('is what most numbers are: an example of each code, its last four digits drawn anew', () => {
    const valid = fc
      .sample(fc.tuple(fc.constantFrom(...new Set(examples)), digits(4, 4)), 5_000)
      .map(([example, tail]) => example.slice(0, -4) + tail)
      .filter((one) => byTheLibrary(one) !== null);
    expect(valid.filter(isKnownNumber).length / valid.length).toBeGreaterThan(0.8);
  });

  it.each(['14155550123', '12015550111', '447700900123', '4915112345678', '5215512345678', '0123', ''])(
    'says what the library says of %s, or leaves it to the library',
    (one) => expect(!isKnownNumber(one) || byTheLibrary(one) === one).toBe(true),
  );

  it.each(['14155550123', '447912345678', '4915112345678', '5511987654321', '919876543210'])('knows %s', (one) =>
    expect(isKnownNumber(one)).toBe(true),
  );
});
