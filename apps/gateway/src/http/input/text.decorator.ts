import { cuidPattern, isCuid } from '@switchboard/contracts/grammar/cuid';
import { isEmail, isFQDN, ValidateBy } from 'class-validator';
import type { JsonSchema } from '@switchboard/openapi';
import { FieldRule, type FieldOptions } from './field-description.js';
import { momentOf, momentPattern } from './moment.policy.js';

/** A text of so many Unicode code points. Source: docs/api-behaviour.md#text. */
export function CodePoints(min: number, max: number, field: FieldOptions): PropertyDecorator {
  const form = { type: 'string', minLength: min, maxLength: max };
  return rule('codePoints', `must be ${min} to ${max} characters long`, form, field, (value) => {
    if (typeof value !== 'string' || value.length < min || value.length > max * 2) return false;
    const length = codePointsOf(value);
    return length >= min && length <= max;
  });
}

/** Octets of the part before the `@`, and of that behind it. Source: RFC 5321, 4.5.3.1. */
const LOCAL_PART_BYTES_MAX = 64;
const DOMAIN_BYTES_MAX = 255;

/** A name as DNS has it: labels of 63, the last one of letters. */
const DOMAIN = `(?=.{1,${DOMAIN_BYTES_MAX}}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}`;

/** An address for email, at most so many code points. Source: RFC 5321, 4.1.2 and 4.5.3.1, as class-validator reads it. */
export function Email(max: number, field: FieldOptions): PropertyDecorator {
  const pattern = `^.{1,${LOCAL_PART_BYTES_MAX}}@${DOMAIN}$`;
  const form = { type: 'string', format: 'email', pattern, maxLength: max };
  return rule('email', `must be an email address of at most ${max} characters`, form, field, (value) => {
    if (typeof value !== 'string' || codePointsOf(value.slice(0, max * 2 + 1)) > max) return false;
    // With limits, class-validator takes 254 characters at most; without them, parts and labels of any length.
    return isEmail(value, { ignore_max_length: true }) && arePartsShort(value);
  });
}

function arePartsShort(address: string): boolean {
  const end = address.lastIndexOf('@');
  const domain = address.slice(end + 1);
  const bytes = [Buffer.byteLength(address.slice(0, end)), Buffer.byteLength(domain)] as const;
  return bytes[0] <= LOCAL_PART_BYTES_MAX && bytes[1] <= DOMAIN_BYTES_MAX && isFQDN(domain);
}

/** An id or a cursor. Source: docs/api-behaviour.md#ids. */
export function Cuid(field: FieldOptions): PropertyDecorator {
  return rule('cuid', 'must be a cuid', { type: 'string', format: 'cuid', pattern: cuidPattern }, field, isCuid);
}

/** One word of a list, in its exact spelling. */
export function OneOf(words: readonly string[], field: FieldOptions): PropertyDecorator {
  const isListed = (value: unknown): boolean => typeof value === 'string' && words.includes(value);
  return rule('oneOf', `must be one of ${words.join(', ')}`, { type: 'string', enum: words }, field, isListed);
}

/** A query parameter that is a truth value, written `true` or `false`. */
export function BooleanText(field: FieldOptions): PropertyDecorator {
  const isWritten = (value: unknown): boolean => value === 'true' || value === 'false';
  return rule('booleanText', 'must be one of true, false', { type: 'boolean' }, field, isWritten);
}

/** A query parameter that is a whole number written in plain digits. */
export function WholeNumberText(min: number, max: number, field: FieldOptions): PropertyDecorator {
  const form = { type: 'integer', minimum: min, maximum: max };
  return rule('wholeNumberText', `must be a whole number from ${min} to ${max}`, form, field, (value) => {
    if (typeof value !== 'string' || !/^(0|[1-9][0-9]{0,8})$/.test(value)) return false;
    return Number(value) >= min && Number(value) <= max;
  });
}

/** A date, or a date and time; `momentOf` reads it. */
export function Moment(field: FieldOptions): PropertyDecorator {
  const form = { type: 'string', pattern: momentPattern };
  const isMoment = (value: unknown): boolean => typeof value === 'string' && momentOf(value) !== null;
  return rule('moment', 'must be an ISO 8601 date, or date and time', form, field, isMoment);
}

/** One rule with one sentence a field, whatever is wrong with it: nothing is coerced. For decorators. */
export function rule(
  name: string,
  expected: string,
  form: JsonSchema,
  field: FieldOptions,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  const { optional, nullable } = field;
  return ValidateBy({
    name,
    constraints: [new FieldRule(form, field)],
    validator: {
      validate: (value) =>
        (optional === true && value === undefined) || (nullable === true && value === null) || isValid(value),
      defaultMessage: (error) => `\`${error?.property}\` ${expected}${nullable ? ' or null' : ''}`,
    },
  });
}

function codePointsOf(text: string): number {
  let length = 0;
  for (const _character of text) length++;
  return length;
}
