import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewSession, Sessions, SignedIn } from '../../identity/people.contract.js';
import { csrfTokenOf } from './csrf.policy.js';
import type { SessionCookie } from './session-cookie.js';

/** What is answered to everything that begins, changes or asks for a session. */
export class SessionAnswer {
  constructor(
    private readonly sessions: Pick<Sessions, 'organizationsOf'>,
    private readonly cookie: SessionCookie,
  ) {}

  /** Hands the secret of a new session to the browser, and tells who is signed in. */
  async begin(request: FastifyRequest, reply: FastifyReply, { secret, signedIn }: NewSession): Promise<SessionView> {
    const view = await this.view(signedIn, csrfTokenOf(secret));
    this.cookie.set(request, reply, secret);
    return view;
  }

  /** Hands a session's new secret to the browser, beside an answer about something else. */
  renew(request: FastifyRequest, reply: FastifyReply, { secret }: NewSession): void {
    this.cookie.set(request, reply, secret);
  }

  /** Tells who is signed in. */
  async view({ user, organization, role }: SignedIn, csrfToken: string): Promise<SessionView> {
    const organizations = await this.sessions.organizationsOf(user.id);
    return { user, organization, role, csrfToken, organizations };
  }

  /** The secret that the browser shows, whatever it is worth; null when it shows none. */
  secretOf(request: FastifyRequest): string | null {
    return this.cookie.read(request);
  }

  /** Has the browser forget its session. */
  end(request: FastifyRequest, reply: FastifyReply): void {
    this.cookie.clear(request, reply);
  }
}
