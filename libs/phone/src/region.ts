import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Whether it is a region whose national numbers can be read: ISO 3166-1 alpha-2, upper case. */
export function isRegion(region: string): boolean {
  return isSupportedCountry(region);
}

/**
 * The region of a number, by its plan; of a number that no plan has, the first of those that share its country code.
 *
 * @param phone E.164
 * @returns ISO 3166-1 alpha-2; null where the number belongs to no region
 */
export function regionOf(phone: string): string | null {
  const parsed = parsePhoneNumberFromString(phone);
  return parsed?.country ?? parsed?.getPossibleCountries()[0] ?? null;
}
