import { failureWords } from '../api/api.generated.js';

/** What became of a message, and what to do. */
export interface Outcome {
  readonly what: string;
  readonly advice: string;
}

/** A failure in plain words; the provider's own where we have none. */
export function outcomeOf({ code, message }: { readonly code: string; readonly message: string }): Outcome {
  const known = failureWords[code];
  return known
    ? { what: asSentence(known.means), advice: known.advice }
    : { what: message, advice: `The provider's code is ${code}.` };
}

/** What a code means, where we have words for it. */
export function meaningOf(code: string): string {
  const known = failureWords[code];
  return known ? asSentence(known.means) : 'See the provider’s list of error codes.';
}

function asSentence(means: string): string {
  return `${means.charAt(0).toUpperCase()}${means.slice(1)}.`;
}
