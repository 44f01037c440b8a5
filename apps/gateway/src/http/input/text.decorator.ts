import { cuidPattern, isCuid } from '@switchboard/contracts/grammar/cuid';
import {
  blankCharacters,
  isOneLine,
  isSeen,
  oneLinePattern,
  undrawnCharacters,
  unseenCharacters,
} from '@switchboard/contracts/grammar/one-line';
import { isEmail, isFQDN, ValidateBy, ValidateIf } from 'class-validator';
import type { JsonSchema } from '@switchboard/openapi';
import { RuleSchema } from './field-description.js';
import { momentOf, momentPattern } from './moment.policy.js';

/**
 * The query parameter may be left out. A field of a body has class-validator's `@IsOptional()`, which takes null too.
 *
 * Source: docs/api-behaviour.md#null
 */
export function MayBeOmitted(): PropertyDecorator {
  return ValidateIf((_input, value) => value !== undefined);
}

/** A text of so many Unicode code points; class-validator's `@Length` counts UTF-16 units. */
export function CodePoints(min: number, max: number): PropertyDecorator {
  const schema = { type: 'string', minLength: min, maxLength: max };
  return rule('codePoints', `must be ${min} to ${max} characters long`, schema, (value) => {
    if (typeof value !== 'string' || value.length < min || value.length > max * 2) return false;
    const length = codePointsOf(value);
    return length >= min && length <= max;
  });
}

/** A name or a label. */
export function OneLine(): PropertyDecorator {
  const expected = 'must be one line with a visible character, without control characters and bidirectional overrides';
  return rule('oneLine', expected, { pattern: oneLinePattern }, (value) => isOneLine(String(value)));
}

/** Longer than any phone number in any written form; a shorter text that is no number is refused by INVALID_PHONE. */
const PHONE_LENGTH_MAX = 64;

/** A phone number as people write it; the service that needs it parses it. */
export function WrittenPhone(): PropertyDecorator {
  return CodePoints(1, PHONE_LENGTH_MAX);
}

/** Octets of the part before the `@`, and of that behind it. Source: RFC 5321, 4.5.3.1. */
const LOCAL_PART_BYTES_MAX = 64;
const DOMAIN_BYTES_MAX = 255;

/** A name as DNS has it: labels of 63, the last one of letters. */
const DOMAIN = `(?=.{1,${DOMAIN_BYTES_MAX}}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}`;

/**
 * An email address of at most so many code points. class-validator's `@IsEmail` takes 254 characters at most or, without
 * that limit, parts and labels of any length. Source: RFC 5321, 4.1.2 and 4.5.3.1.
 */
export function EmailAddress(max: number): PropertyDecorator {
  const pattern = `^[^${unseenCharacters}${undrawnCharacters}${blankCharacters}]{1,${LOCAL_PART_BYTES_MAX}}@${DOMAIN}$`;
  const schema = { type: 'string', format: 'email', pattern, maxLength: max };
  return rule('emailAddress', `must be an email address of at most ${max} characters`, schema, (value) => {
    if (typeof value !== 'string' || codePointsOf(value.slice(0, max * 2 + 1)) > max) return false;
    return isEmail(value, { ignore_max_length: true }) && arePartsShort(value) && isSeen(value);
  });
}

function arePartsShort(address: string): boolean {
  const end = address.lastIndexOf('@');
  const domain = address.slice(end + 1);
  const bytes = [Buffer.byteLength(address.slice(0, end)), Buffer.byteLength(domain)] as const;
  return bytes[0] <= LOCAL_PART_BYTES_MAX && bytes[1] <= DOMAIN_BYTES_MAX && isFQDN(domain);
}

/** An id or a cursor. */
export function IsCuid(): PropertyDecorator {
  return rule('isCuid', 'must be a cuid', { type: 'string', format: 'cuid', pattern: cuidPattern }, isCuid);
}

/** A date, or a date and time; `momentOf` reads it. class-validator's `@IsISO8601` takes weeks and ordinal dates as well. */
export function IsMoment(): PropertyDecorator {
  const isMoment = (value: unknown): boolean => typeof value === 'string' && momentOf(value) !== null;
  const schema = { type: 'string', pattern: momentPattern };
  return rule('isMoment', 'must be an ISO 8601 date, or date and time', schema, isMoment);
}

/** A rule of our own, with one sentence for whatever is wrong: nothing is coerced. For decorators. */
export function rule(
  name: string,
  expected: string,
  schema: JsonSchema,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  return ValidateBy({
    name,
    constraints: [new RuleSchema(schema)],
    validator: { validate: isValid, defaultMessage: () => `$property ${expected}` },
  });
}

/** How many Unicode code points a text has. */
export function codePointsOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}
