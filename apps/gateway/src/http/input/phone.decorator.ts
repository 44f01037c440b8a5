import type { FieldOptions } from './field-description.js';
import { CodePoints } from './text.decorator.js';

/** No number is longer, however it is decorated; what cannot be a phone number is told later, by INVALID_PHONE. */
const PHONE_LENGTH_MAX = 64;

/** A phone as people write it; whether it can be one is the service's to say. */
export function WrittenPhone(field: FieldOptions): PropertyDecorator {
  return CodePoints(1, PHONE_LENGTH_MAX, field);
}

/**
 * The phone that a query names. A plus that was not encoded arrives as a space, and no written form begins with one.
 */
export function phoneOfQuery(phone: string | undefined): string | null {
  return phone?.replace(/^ (?=\d)/, '+') ?? null;
}
