import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ErrorDefinition, RetryVerdict } from '@switchboard/contracts/grammar/app-error';
import type { BodyUse } from '../http/route-declaration.js';
import { headersOf, type AnswerHeader } from './headers.js';
import type { JsonObject } from './json-schema.js';
import { errorExample } from './plain-schemas.js';

/** What one API says of a code that the registry has for all of them. */
export interface Wording {
  readonly meaning: string;
  /** A message that is answered; the registry's by default. */
  readonly example?: string;
  /** The registry's by default. */
  readonly retry?: RetryVerdict;
  /** Whether to try again, in a sentence; that of `retry` by default. */
  readonly again?: string;
}

/** By code; one that is not there means what the registry says. */
export type Wordings = Readonly<Record<string, Wording>>;

/** What of a route decides how it can refuse. */
export interface Refusing {
  readonly method: string;
  readonly access: string;
  /** Something sold: without it the route never answers 402. */
  readonly scope: string | null;
  /** Who may; null: everybody whom `access` lets in. */
  readonly roles: readonly string[] | null;
  readonly errors: readonly ErrorDefinition[];
  readonly headers: readonly AnswerHeader[];
  readonly wordings: Wordings;
  /** What becomes of a body; null: requests of the method have none. */
  readonly bodyUse: BodyUse | null;
  /** What it says itself, by code, where that is not the example of the registry. */
  readonly sentences: Readonly<Record<string, string>>;
}

const verdicts: Readonly<Record<RetryVerdict, string>> = {
  never: 'Do not send it again: the answer will be the same.',
  'after-fixing': 'Send it again after it, or what it names, has been put right.',
  later: 'Send it again later, with growing pauses.',
};

/** The answer that is given again is a committed one: what went wrong on our side is none. */
const REPLAYED: AnswerHeader = 'Idempotent-Replayed';

/** Only those of which the refusal can be about something stored. */
const STORED_STATUSES: readonly number[] = [400, 403, 500, 503];

/** The codes with which a route can refuse, by status: its own, and those of every route of its kind. */
export function refusalsOf(route: Refusing): ReadonlyMap<number, readonly ErrorDefinition[]> {
  const byStatus = new Map<number, ErrorDefinition[]>();
  for (const error of new Set([...generalErrors(route), ...route.errors])) {
    byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** The response of an operation under one status. */
export function refusalResponse(status: number, errors: readonly ErrorDefinition[], route: Refusing): JsonObject {
  const more = STORED_STATUSES.includes(status)
    ? route.headers.filter((name) => status < 500 || name !== REPLAYED)
    : [];
  return {
    description: errors.map((error) => sentenceOf(error, route.wordings)).join('\n'),
    headers: headersOf(status, route.access, more),
    'x-error-codes': errors.map(({ code }) => code),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          errors.map((error): [string, JsonObject] => [error.code, exampleOf(error, route.sentences[error.code])]),
        ),
      },
    },
  };
}

function exampleOf(error: ErrorDefinition, sentence: string | undefined): JsonObject {
  return sentence === undefined ? { $ref: `#/components/examples/${error.code}` } : errorExample(error, sentence);
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

/** The components that refusals refer to. */
export function refusalExamples(errors: Iterable<ErrorDefinition>, wordings: Wordings): JsonObject {
  const examples = sorted(errors).map((error): [string, JsonObject] => {
    return [error.code, errorExample(error, wordingOf(error, wordings).example)];
  });
  return Object.fromEntries(examples);
}

function sorted(errors: Iterable<ErrorDefinition>): readonly ErrorDefinition[] {
  return [...errors].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}

/** Another site's page, a missing token or a role that does not reach are refused. */
function isGuarded({ method, access, roles }: Pick<Refusing, 'method' | 'access' | 'roles'>): boolean {
  const acts = method !== 'GET' && (access === 'session' || access === 'visitor');
  return acts || roles !== null;
}

/** What any route of the kind can answer. Source: docs/api-behaviour.md#errors-order. */
function generalErrors({ method, access, scope, roles, bodyUse }: Refusing): readonly ErrorDefinition[] {
  const errors = gatewayErrors;
  return [
    errors.VALIDATION_FAILED,
    ...(bodyUse === 'json' ? [errors.MALFORMED_BODY, errors.UNSUPPORTED_MEDIA_TYPE] : []),
    ...(bodyUse === null ? [] : [errors.PAYLOAD_TOO_LARGE]),
    ...(access === 'key' || access === 'session' ? [errors.UNAUTHORIZED, errors.RATE_LIMITED] : []),
    ...(isGuarded({ method, access, roles }) ? [errors.FORBIDDEN] : []),
    ...(scope === null ? [] : [errors.INSUFFICIENT_SCOPE, errors.PAYMENT_REQUIRED]),
    errors.REQUEST_TIMEOUT,
    errors.URI_TOO_LONG,
    errors.HEADERS_TOO_LARGE,
    errors.INTERNAL,
    errors.SERVICE_UNAVAILABLE,
  ];
}
