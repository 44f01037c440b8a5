/** What became of a message, and what to do. */
export interface Outcome {
  readonly what: string;
  readonly advice: string;
}

/** By the code of `error`. Source: the provider's page of error codes, and docs/errors.md. */
const outcomes: Readonly<Record<string, Outcome>> = {
  '131026': {
    what: 'This number cannot be reached.',
    advice: 'Check the number; the person may not use the service or may have an old version of it.',
  },
  '131047': {
    what: 'More than 24 hours have passed since this person last wrote.',
    advice: 'Send an approved template; once they answer, you can write freely again.',
  },
  '131048': {
    what: 'The provider limits this number because of complaints.',
    advice: 'Write only to people who expect it; the limit ends by itself.',
  },
  '131049': {
    what: 'The provider held it back so that people are not written to too often.',
    advice: 'Do not send it again at once; wait a day.',
  },
  '131050': {
    what: 'This person has opted out at the provider.',
    advice: 'Do not write to them until they opt in again.',
  },
  '130429': {
    what: 'Too many messages were sent at once.',
    advice: 'It was tried again for a day without success; send it later.',
  },
  '131056': {
    what: 'Too many messages went to this person in a short time.',
    advice: 'Wait some minutes before the next one.',
  },
  '131000': {
    what: 'Something went wrong at the provider.',
    advice: 'Send it again; if it goes on, look at the channel.',
  },
  '100': { what: 'The provider did not accept the content.', advice: 'Check the text and the number.' },
  '190': {
    what: 'The access token of the channel is no longer valid.',
    advice: 'An owner or admin connects the channel again in Settings.',
  },
  '132001': {
    what: 'The provider has no such template in this language.',
    advice: 'Choose a template that is approved.',
  },
  UPSTREAM_OUTCOME_UNKNOWN: {
    what: 'It is not known whether this was delivered.',
    advice: 'Do not send it again without asking: it may have arrived.',
  },
};

/** A failure in plain words; the provider's own where we have none. */
export function outcomeOf({ code, message }: { readonly code: string; readonly message: string }): Outcome {
  return outcomes[code] ?? { what: message, advice: `The provider's code is ${code}.` };
}

/** What a code means, where we have words for it. */
export function meaningOf(code: string): string {
  return outcomes[code]?.what ?? 'See the provider’s list of error codes.';
}
