import { routes, type Operations } from './api.generated.js';
import { problemFrom, Problem } from './problem.js';
import { csrfToken, currentSession, isSessionReplaced, leaveForEnrolment, leaveSession } from './session-state.js';

type Name = keyof Operations;

/** Their 401 is about what was typed, not about the session. */
const signingIn: ReadonlySet<Name> = new Set<Name>(['signIn', 'acceptInvite']);

const REPLACED = 'Your session has ended, or changed in another tab. Reload this page to go on.';

/** They replace the session's cookie: a refusal of what went out next to them may be about the former one. */
const renewing: ReadonlySet<Name> = new Set<Name>(['switchOrganization', 'changePassword', 'acceptInvite']);
let renewal: Promise<unknown> = Promise.resolve();

/** What an operation takes; parts that it has none of may be left out. */
export type Input<N extends Name> = Given<'path', Operations[N]['path']> &
  Optional<'query', Operations[N]['query']> &
  Given<'body', Operations[N]['body']> & {
    readonly signal?: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  };

/** What an operation answers. */
export type Answer<N extends Name> = Operations[N]['answer'];

type Given<Key extends string, Value> = Value extends undefined ? unknown : { readonly [K in Key]: Value };
type Optional<Key extends string, Value> = Value extends undefined ? unknown : { readonly [K in Key]?: Value };

interface Parts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Calls one operation of the application's API, by the name that its description gives it.
 *
 * @throws Problem for every refusal and failure; 401 leads to the sign-in page as well, unless the operation signs in or
 * refuses a code; a second factor that the organization requires and the person lacks leads to the account page
 */
export async function call<N extends Name>(name: N, input: Input<N>): Promise<Answer<N>> {
  const { answer } = await callOnce(name, input);
  return answer;
}

/** An answer, and whether it is the stored one of an idempotency key: an earlier request was carried out, this one was not. */
export interface KeyedAnswer<N extends Name> {
  readonly answer: Answer<N>;
  readonly isReplayed: boolean;
}

/** The same, for a request with an idempotency key. @throws Problem as above */
export async function callOnce<N extends Name>(name: N, input: Input<N>): Promise<KeyedAnswer<N>> {
  const answer = answerOf(name, input);
  // A macrotask later, whoever called has kept the new session.
  if (renewing.has(name)) {
    const settled = answer.catch(() => undefined);
    renewal = settled.then(() => new Promise((resolve) => setTimeout(resolve)));
  }
  return answer;
}

/** The same, with the answer unread: for downloads. @throws Problem */
export async function request(name: Name, input: Parts): Promise<Response> {
  if (isSessionReplaced()) throw new Problem(403, 'SESSION_REPLACED', REPLACED, null);
  const [method, template] = routes[name];
  const headers = new Headers(input.headers);
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  if (input.body !== undefined) headers.set('content-type', 'application/json');
  const token = csrfToken();
  const shown = currentSession();
  if (method !== 'GET' && token !== null) headers.set('x-csrf-token', token);
  const response = await fetch(urlOf(template, input), {
    method,
    headers,
    credentials: 'same-origin',
    body: input.body === undefined ? undefined : JSON.stringify(input.body),
    signal: input.signal,
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, 'OFFLINE', 'No answer came: check the connection and try again.', null);
  });
  if (response.ok) return response;
  const problem = await problemFrom(response);
  const { status, code } = problem;
  const isEnded = status === 401 && !signingIn.has(name) && !code.startsWith('SECOND_FACTOR_');
  const isEnrolmentDue = code === 'SECOND_FACTOR_ENROLMENT_REQUIRED';
  if ((isEnded || isEnrolmentDue) && !renewing.has(name)) await renewal;
  if (isEnded) leaveSession(shown);
  if (isEnrolmentDue) leaveForEnrolment(shown);
  throw problem;
}

async function answerOf<N extends Name>(name: N, input: Input<N>): Promise<KeyedAnswer<N>> {
  const response = await request(name, input as Parts);
  const isReplayed = response.headers.has('idempotent-replayed');
  const isEmpty = response.status === 204 || response.headers.get('content-length') === '0';
  const text = isEmpty ? '' : await response.text().catch(unreadable);
  return { answer: (text === '' ? undefined : parsed(text)) as Answer<N>, isReplayed };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return unreadable(error);
  }
}

/** The connection broke within the answer, or something in between, such as the sign-in page of a network, answered in its place. */
function unreadable(error: unknown): never {
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  throw new Problem(0, 'UNREADABLE', 'The answer cannot be read: check the connection and try again.', null);
}

function urlOf(template: string, { path = {}, query = {} }: Parts): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(path[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? filled : `${filled}?${search}`;
}
