import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@switchboard/testing/fake-clock';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../identity/admission.contract.js';
import type { SignedIn } from '../identity/signed-in.contract.js';
import { AdmitRequest } from './admit-request.js';
import { FailedAttempts } from './authentication/failed-attempts.js';
import { MalformedRequestLimit } from './malformed-request-limit.js';
import type { SessionRoute } from './route-declaration.js';
import { RouteTable } from './route-table.js';
import { AdmitSession } from './session/admit-session.js';
import { csrfTokenOf } from './session/csrf.policy.js';
import { SessionCookie } from './session/session-cookie.js';
import { SessionRate } from './session/session-rate.js';

const SECRET = 'a secret';
const signedIn: SignedIn = {
  sessionId: 'csession',
  user: { id: 'cuser', email: 'ada@example.org', name: 'Ada' },
  organization: { id: 'cacme', name: 'Acme' },
  role: 'OWNER',
  secondFactor: { isEnabled: false, isRequired: false },
};

describe('a request in a session whose body takes long', () => {
  it('is admitted again at its end without another share of the rate, and refused when the session has ended', async () => {
    let open: SignedIn | null = signedIn;
    const clock = new FakeClock();
    const rate = new SessionRate(clock);
    const failedAttempts = new FailedAttempts(clock, async () => undefined);
    const config = { PUBLIC_BASE_URL: '' };
    const people = {
      sessions: { find: async () => open },
      paidFor: async () => ({ refusal: null, messagesPerMonth: 0 }),
    };
    const cookie = new SessionCookie(config);
    const admitSession = new AdmitSession(people, cookie, failedAttempts, rate, config);
    const limit = new MalformedRequestLimit(clock);
    const admission = {} as Admission;
    const admit = new AdmitRequest(admission, admitSession, failedAttempts, limit, new RouteTable(), clock);
    const request = requestInSession();

    await admit.admit(request, {} as FastifyReply);
    clock.advance(1_001);
    for (let others = 0; others < 600; others++) rate.count(signedIn.sessionId, signedIn.user.id);
    await admit.admitAgain(request);
    open = null;
    await expect(admit.admitAgain(request)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

/** A change of the application, from a page of its own. */
function requestInSession(): FastifyRequest {
  const declaration = { access: 'session', roles: null, errors: [], docs: {} } as unknown as SessionRoute;
  const url = '/app/api/templates/send';
  const headers = {
    cookie: `switchboard_session=${SECRET}`,
    origin: 'http://localhost',
    'x-csrf-token': csrfTokenOf(SECRET),
  };
  return {
    method: 'POST',
    is404: false,
    protocol: 'http',
    host: 'localhost',
    headers,
    raw: { url, headers, rawHeaders: [] },
    routeOptions: { url, config: { declaration } },
    state: { address: '192.0.2.1', startedMs: 0, admittedMs: Number.POSITIVE_INFINITY },
  } as unknown as FastifyRequest;
}
