import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { isEmail, ValidateBy } from 'class-validator';
import { momentOf } from './moment.policy.js';

/** Whether a field may be left out, or be null. */
export interface Presence {
  readonly optional?: true;
  readonly nullable?: true;
}

/** A text of so many Unicode code points. Source: decisions, "Names, ids, cursors, dates". */
export function CodePoints(min: number, max: number, presence: Presence = {}): PropertyDecorator {
  return rule('codePoints', `must be ${min} to ${max} characters long`, presence, (value) => {
    if (typeof value !== 'string' || value.length < min || value.length > max * 2) return false;
    const length = codePointsOf(value);
    return length >= min && length <= max;
  });
}

/** An address for email, at most so many code points. Source: RFC 5321, 4.1.2, as class-validator reads it. */
export function Email(max: number, presence: Presence = {}): PropertyDecorator {
  return rule('email', `must be an email address of at most ${max} characters`, presence, (value) => {
    if (typeof value !== 'string' || codePointsOf(value.slice(0, max * 2 + 1)) > max) return false;
    return isEmail(value, { ignore_max_length: true });
  });
}

/** An id or a cursor. Source: specification, "General conventions", 4. */
export function Cuid(presence: Presence = {}): PropertyDecorator {
  return rule('cuid', 'must be a cuid', presence, isCuid);
}

/** One word of a list, in its exact spelling. */
export function OneOf(words: readonly string[], presence: Presence = {}): PropertyDecorator {
  const isListed = (value: unknown): boolean => typeof value === 'string' && words.includes(value);
  return rule('oneOf', `must be one of ${words.join(', ')}`, presence, isListed);
}

/** A query parameter that is a whole number written in plain digits. */
export function WholeNumberText(min: number, max: number, presence: Presence = {}): PropertyDecorator {
  return rule('wholeNumberText', `must be a whole number from ${min} to ${max}`, presence, (value) => {
    if (typeof value !== 'string' || !/^(0|[1-9][0-9]{0,8})$/.test(value)) return false;
    return Number(value) >= min && Number(value) <= max;
  });
}

/** A date, or a date and time; `momentOf` reads it. */
export function Moment(presence: Presence = {}): PropertyDecorator {
  const isMoment = (value: unknown): boolean => typeof value === 'string' && momentOf(value) !== null;
  return rule('moment', 'must be an ISO 8601 date, or date and time', presence, isMoment);
}

/** One rule with one sentence a field, whatever is wrong with it: nothing is coerced. */
function rule(
  name: string,
  expected: string,
  { optional, nullable }: Presence,
  isValid: (value: unknown) => boolean,
): PropertyDecorator {
  return ValidateBy({
    name,
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
