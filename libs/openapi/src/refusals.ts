import type { ErrorDefinition, RetryVerdict } from '@switchboard/contracts/grammar/app-error';
import { headerReferences } from './answers.js';
import type { Wording, Wordings } from './api-definition.js';
import type { Refusals } from './api-route.js';
import type { Vocabulary } from './enum-words.js';
import type { JsonObject } from './json-schema.js';
import { errorExample } from './plain-schemas.js';

const verdicts: Readonly<Record<RetryVerdict, string>> = {
  never: 'Do not send it again: the answer will be the same.',
  'after-fixing': 'Fix the request, or the resource it names, before you send it again.',
  later: 'Send it again later, with growing pauses.',
  'if-repeatable':
    'The request may have taken effect. Send it again, later and with growing pauses, only where twice does no harm.',
};

/** The codes with which a route can refuse, by status, the lowest first. */
export function errorsByStatus({ errors }: Refusals): ReadonlyMap<number, readonly ErrorDefinition[]> {
  const byStatus = new Map<number, ErrorDefinition[]>();
  for (const error of new Set(errors)) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** The response of an operation under the status of a refusal. @param errors those of the status */
export function refusalResponse(
  status: number,
  errors: readonly ErrorDefinition[],
  { sentences, headersOf }: Refusals,
  wordings: Wordings,
): JsonObject {
  const examples = errors.map((error): [string, JsonObject] => [error.code, exampleOf(error, sentences[error.code])]);
  return {
    description: errors.map((error) => sentenceOf(error, wordings)).join('\n'),
    headers: headerReferences(headersOf(status)),
    'x-error-codes': errors.map(({ code }) => code),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** The example components of refusals, by code. */
export function refusalExamples(
  errors: Iterable<ErrorDefinition>,
  wordings: Wordings,
): Readonly<Record<string, JsonObject>> {
  const examples = sorted(errors).map((error): [string, JsonObject] => {
    return [error.code, errorExample(error, wordingOf(error, wordings).example)];
  });
  return Object.fromEntries(examples);
}

/** What each code means, as a sentence. */
export function meaningsOf(errors: Iterable<ErrorDefinition>, wordings: Wordings): Vocabulary {
  return Object.fromEntries(sorted(errors).map((error) => [error.code, `${wordingOf(error, wordings).meaning}.`]));
}

/** All codes in one table, in Markdown. */
export function errorTable(errors: Iterable<ErrorDefinition>, wordings: Wordings): string {
  const rows = sorted(errors).map((error) => {
    const { meaning, again } = wordingOf(error, wordings);
    return `| ${error.status} | \`${error.code}\` | ${meaning}. | ${again} |`;
  });
  return ['## Error codes', '', '| Status | Code | Meaning | Again? |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function exampleOf(error: ErrorDefinition, sentence: string | undefined): JsonObject {
  return sentence === undefined ? { $ref: `#/components/examples/${error.code}` } : errorExample(error, sentence);
}

/** A code, what it means, and whether to try again. */
function sentenceOf(error: ErrorDefinition, wordings: Wordings): string {
  const { meaning, again } = wordingOf(error, wordings);
  return `- \`${error.code}\`: ${meaning}. ${again}`;
}

function wordingOf(error: ErrorDefinition, wordings: Wordings): Required<Wording> {
  const { code, message, example = message } = error;
  const own = wordings[code];
  const retry = own?.retry ?? error.retry;
  return { meaning: message, example, retry, again: verdicts[retry], ...own };
}

function sorted(errors: Iterable<ErrorDefinition>): readonly ErrorDefinition[] {
  return [...errors].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
