import type { FieldOptions } from './field-description.js';
import { rule } from './text.decorator.js';

/** A list of words of a list: at least one, none twice, each in its exact spelling. */
export function WordList(words: readonly string[], field: FieldOptions): PropertyDecorator {
  const form = { type: 'array', items: { type: 'string', enum: words }, minItems: 1, uniqueItems: true };
  const expected = `must be a list of one or more of ${words.join(', ')}, none of them twice,`;
  return rule('wordList', expected, form, field, (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > words.length) return false;
    return new Set(value).size === value.length && value.every((word) => words.includes(word));
  });
}
