import { Transform } from 'class-transformer';
import { rule } from './text.decorator.js';

/** The number that a query parameter names in plain digits; any other text stays as it is, and the rule refuses it. */
export function WholeNumber(min: number, max: number): PropertyDecorator {
  const schema = { type: 'integer', minimum: min, maximum: max };
  const isValid = (value: unknown): boolean => typeof value === 'number' && value >= min && value <= max;
  const validate = rule('wholeNumber', `must be a whole number from ${min} to ${max}`, schema, isValid);
  const transform = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^(0|[1-9][0-9]{0,8})$/.test(value) ? Number(value) : value,
  );
  return (prototype, name) => {
    validate(prototype, name);
    transform(prototype, name);
  };
}

/** The truth value of a query parameter that is `true` or `false`; any other text stays as it is, for `@IsBoolean()`. */
export function BooleanText(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
}

/** Restores the plus of a phone number that was not percent-encoded: it arrives as a space, and no written form begins with one. */
export function RestorePlus(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value,
  );
}

/** Restores the plus of a moment's offset that was not percent-encoded: it arrives as a space, and no moment has one. */
export function RestoreOffset(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.replace(/ (?=\d\d(:?\d\d)?$)/, '+') : value,
  );
}
