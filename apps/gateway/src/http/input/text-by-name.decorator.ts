import { codePointsOf, rule } from './text.decorator.js';

/** An object of texts by name; lengths are in Unicode code points. */
export function TextByName({ entriesMax, nameMax, valueMax }: TextByNameLimits): PropertyDecorator {
  const schema = {
    type: 'object',
    maxProperties: entriesMax,
    propertyNames: { minLength: 1, maxLength: nameMax },
    additionalProperties: { type: 'string', maxLength: valueMax },
  };
  const expected =
    `must be an object of at most ${entriesMax} strings, ` +
    `with names of 1 to ${nameMax} characters and values of at most ${valueMax} characters`;
  return rule('textByName', expected, schema, (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(value);
    return entries.length <= entriesMax && entries.every(([name, text]) => isNamed(name, text, nameMax, valueMax));
  });
}

/** How much such an object holds at most. */
export interface TextByNameLimits {
  readonly entriesMax: number;
  /** Code points of a name, at least one. */
  readonly nameMax: number;
  /** Code points of a text. */
  readonly valueMax: number;
}

function isNamed(name: string, text: unknown, nameMax: number, valueMax: number): boolean {
  return name !== '' && typeof text === 'string' && isWithin(name, nameMax) && isWithin(text, valueMax);
}

/** A code point has two UTF-16 units at most: a text that is far too long is not counted. */
function isWithin(text: string, max: number): boolean {
  return text.length <= max * 2 && codePointsOf(text) <= max;
}
