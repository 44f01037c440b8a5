import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Session } from './api.generated.js';
import { call } from './call.js';
import { holdPage } from './held-page.js';
import { readSession } from './read-session.js';
import { currentSession, keepSession, whenEnrolmentIsDue, whenSessionEnds } from './session-state.js';

const known = { csrfToken: 'present' } as Session;
const aMoment = () => new Promise((resolve) => setTimeout(resolve));

describe.each([
  [401, 'UNAUTHENTICATED', 'sign-in'],
  [403, 'SECOND_FACTOR_ENROLMENT_REQUIRED', 'enrolment'],
])('a session that %i %s ends while the page shows something this once', (status, code, page) => {
  const left: string[] = [];
  let release: () => void;

  beforeAll(() => {
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async () => Response.json({ error: { code, message: 'No' } }, { status }));
  });

  beforeEach(async () => {
    left.length = 0;
    whenSessionEnds(() => left.push('sign-in'));
    whenEnrolmentIsDue(() => left.push('enrolment'));
    keepSession(known);
    release = holdPage();
    await expect(call('getPlan', {})).rejects.toMatchObject({ status });
  });

  afterAll(() => {
    jest.restoreAllMocks();
  });

  it('is still read as the known one, and is left and forgotten once that is put away', async () => {
    expect(await readSession()).toBe(known);
    expect(left).toEqual([]);
    release();
    await aMoment();
    expect([left, currentSession()]).toEqual([[page], null]);
  });

  it('is not left when another has begun by then', async () => {
    const renewed = { csrfToken: 'renewed' } as Session;
    keepSession(renewed);
    release();
    await aMoment();
    expect([left, currentSession()]).toEqual([[], renewed]);
  });
});
