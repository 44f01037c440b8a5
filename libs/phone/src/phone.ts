import {
  isSupportedCountry,
  isValidPhoneNumber,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js/max';
import { isKnownNumber } from './known-plan.policy.js';
import { repairInternational, repairNational, subscriberForms } from './subscriber-forms.policy.js';
import { readWrittenForm, type WrittenForm } from './written-form.policy.js';

/** One subscriber's number. */
export interface Phone {
  /** E.164 with the plus, the form that was given: `+52 1 55 …` stays `+52155…`. */
  readonly phone: string;
  /** Every E.164 form of this subscriber, `phone` among them, the canonical one first; mostly just one. */
  readonly aliases: readonly string[];
}

/**
 * Reads a number as people write it.
 *
 * Accepted: E.164, `00` for the plus, spaces, dots, dashes, brackets, `tel:`, full-width digits; a national form when
 * `defaultRegion` is given. Numbers that exist in two written forms (Mexico, Argentina, Brazil) are accepted in both
 * and list both; everything else must be valid by the numbering plans of `libphonenumber-js/max`. The range kept for
 * fiction (`+1 201 555 01NN`) is valid there.
 *
 * @param defaultRegion ISO 3166-1 alpha-2, upper case; ignored for international forms, an unknown one counts as none.
 * @returns null for what cannot be a phone number: letters, extensions, a second plus, an unassigned range.
 * Source: docs/api-behaviour.md#phone. 1 µs for most numbers in E.164, 5 to 17 for others; no number is kept.
 */
export function parsePhone(input: string, defaultRegion?: string): Phone | null {
  const form = readWrittenForm(input);
  if (!form) return null;
  const digits = internationalDigits(form, defaultRegion);
  if (digits !== null && isKnownNumber(digits)) return phoneOf(digits);
  const parsed = digits === null ? readNational(form.digits, defaultRegion) : readInternational(digits);
  if (!parsed) return null;

  const phone = parsed.number;
  const aliases = subscriberForms(phone);
  // The other forms count too: the library refuses Mexico's `+52 1 …` and Brazil's mobiles without the ninth digit.
  const exists = parsed.isValid() || aliases.some((alias) => alias !== phone && isValidPhoneNumber(alias));
  return exists ? { phone, aliases } : null;
}

/**
 * True for a national form, which means nothing without a region; false for an international one and for what is no
 * phone number at all.
 */
export function needsRegion(input: string): boolean {
  return readWrittenForm(input)?.kind === 'national';
}

/**
 * The number behind an upstream's id (`wa_id`, `from`): international digits without the plus.
 *
 * Any 6 to 15 digits are taken as they are, in a numbering plan or not: who has written to us is never refused.
 *
 * @returns null when it is no such run of digits, such as an upstream user id; that contact has no phone.
 */
export function phoneFromDigits(digits: string): Phone | null {
  if (!/^\d{6,15}$/.test(digits)) return null;
  return phoneOf(digits);
}

function phoneOf(digits: string): Phone {
  const phone = `+${digits}`;
  return { phone, aliases: subscriberForms(phone) };
}

/** Country code first; null for a national form that the library shall read. */
function internationalDigits({ kind, digits }: WrittenForm, region: string | undefined): string | null {
  if (kind === 'international') return repairInternational(digits);
  const international = region === undefined ? null : repairNational(digits, region);
  return international === null ? null : repairInternational(international);
}

function readInternational(digits: string): PhoneNumber | undefined {
  return parsePhoneNumberFromString(`+${digits}`, { extract: false });
}

function readNational(digits: string, region: string | undefined): PhoneNumber | undefined {
  if (region === undefined || !isSupportedCountry(region)) return undefined;
  return parsePhoneNumberFromString(digits, { defaultCountry: region, extract: false });
}
