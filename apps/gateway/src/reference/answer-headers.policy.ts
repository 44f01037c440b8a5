import type { HeaderReferences } from '@switchboard/openapi';
import { componentOf, type AnswerHeader } from '../description/headers.js';
import type { RouteDeclaration } from '../http/route-declaration.js';

type Access = RouteDeclaration['access'];

/** Only a committed answer is given again: no failure of the service itself. */
const REPLAYED: AnswerHeader = 'Idempotent-Replayed';

/** A refusal with another status is never about something stored. */
const STORED_STATUSES: readonly number[] = [400, 403, 500, 503];

/** The headers of an answer; `required` in the component says whether always. @param more those that the route names */
export function answerHeaders(status: number, access: Access, more: readonly AnswerHeader[] = []): HeaderReferences {
  const isOfApp = access === 'session' || access === 'visitor';
  return {
    'X-Request-Id': 'RequestId',
    ...(access === 'key' && rateHeaders(status)),
    ...((status === 429 || status === 503) && { 'Retry-After': 'RetryAfter' }),
    ...(status === 409 && { 'Retry-After': 'PossibleRetryAfter' }),
    ...(status === 401 && { 'WWW-Authenticate': isOfApp ? 'WwwAuthenticateCookie' : 'WwwAuthenticate' }),
    ...(isOfApp && status < 300 && { 'Set-Cookie': 'SetCookie' }),
    ...(status === 405 && { Allow: 'Allow' }),
    ...Object.fromEntries(more.map((name) => [name, componentOf(name)])),
  };
}

/** The headers of a refusal. @param more those that the route names; each only where it can be */
export function refusalHeaders(status: number, access: Access, more: readonly AnswerHeader[] = []): HeaderReferences {
  const possible = STORED_STATUSES.includes(status) ? more.filter((name) => status < 500 || name !== REPLAYED) : [];
  return answerHeaders(status, access, possible);
}

/** A refusal before the key was checked, or in spite of it, has no rate; the 405 of a public path checks no key. */
function rateHeaders(status: number): HeaderReferences {
  if ([401, 414, 431].includes(status)) return {};
  const prefix = [400, 405, 408, 429, 500, 503].includes(status) ? 'Possible' : '';
  return {
    'RateLimit-Limit': `${prefix}RateLimitLimit`,
    'RateLimit-Remaining': `${prefix}RateLimitRemaining`,
    'RateLimit-Reset': `${prefix}RateLimitReset`,
  };
}
