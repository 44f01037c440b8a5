import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Session } from './api.generated.js';
import { call } from './call.js';
import { currentSession, keepSession, replaceSession, whenEnrolmentIsDue, whenSessionEnds } from './session-state.js';

const session = (csrfToken: string) => ({ csrfToken }) as Session;

describe('a refusal that ends the session', () => {
  const left: string[] = [];

  beforeEach(() => {
    left.length = 0;
    whenSessionEnds(() => left.push('sign-in'));
    whenEnrolmentIsDue(() => left.push('enrolment'));
    keepSession(session('present'));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Calls, and gives the answer once `meanwhile` has happened. */
  async function refusedBy(status: number, code: string, meanwhile: () => void = () => undefined): Promise<void> {
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      meanwhile();
      return Response.json({ error: { code, message: 'No' } }, { status });
    });
    await expect(call('getPlan', {})).rejects.toMatchObject({ status });
  }

  it.each([
    [401, 'UNAUTHENTICATED', 'sign-in'],
    [403, 'SECOND_FACTOR_ENROLMENT_REQUIRED', 'enrolment'],
  ])('%i %s leads to %s', async (status, code, page) => {
    await refusedBy(status, code);
    expect(left).toEqual([page]);
    expect(currentSession()).toBeNull();
  });

  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'SECOND_FACTOR_ENROLMENT_REQUIRED'],
  ])('%i %s that comes late leaves alone a session that was begun after the request', async (status, code) => {
    const renewed = session('renewed');
    await refusedBy(status, code, () => keepSession(renewed));
    expect(left).toEqual([]);
    expect(currentSession()).toBe(renewed);
  });

  it('a 401 that overtakes the answer of a switch leaves alone the session that the switch begins', async () => {
    const renewed = session('renewed');
    const switched = Promise.withResolvers<Response>();
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (path) => {
      if (String(path).endsWith('/switch-organization')) return switched.promise;
      return Response.json({ error: { code: 'UNAUTHENTICATED', message: 'No' } }, { status: 401 });
    });
    const entered = call('switchOrganization', { body: { organizationId: 'other' } }).then(keepSession);
    const read = call('getPlan', {}).catch((error: unknown) => error);
    setImmediate(() => switched.resolve(Response.json(renewed)));
    await Promise.all([entered, read]);
    expect(left).toEqual([]);
    expect(currentSession()).toEqual(renewed);
  });

  it('a refused code or sign-in leaves the session alone', async () => {
    await refusedBy(401, 'SECOND_FACTOR_REFUSED');
    expect(left).toEqual([]);
  });
});

describe('an answer that cannot be read', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const broken = (): Response =>
    new Response(new ReadableStream({ start: (body) => body.error(new TypeError('network error')) }));

  it.each([
    ['is of a page in between', () => new Response('<html>Sign in to this network</html>')],
    ['breaks off', broken],
  ])('that %s is said in plain words, and leaves open whether a change was carried out', async (_how, answer) => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
    const problem = await call('getPlan', {}).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      status: 0,
      code: 'UNREADABLE',
      message: 'The answer cannot be read: check the connection and try again.',
    });
  });

  it('that is given up stays given up', async () => {
    const givenUp = new DOMException('given up', 'AbortError');
    const body = new ReadableStream({ start: (stream) => stream.error(givenUp) });
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(body));
    await expect(call('getPlan', {})).rejects.toBe(givenUp);
  });
});

// The last of the file: only a load of the page ends that state.
describe('a session that another tab has replaced', () => {
  it('reads and changes nothing: the cookie is that of the other session', async () => {
    const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
    await call('getPlan', {});
    replaceSession();
    await expect(call('getPlan', {})).rejects.toMatchObject({ code: 'SESSION_REPLACED' });
    expect(fetched).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });
});
