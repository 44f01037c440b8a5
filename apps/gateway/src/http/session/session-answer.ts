import { Inject, Injectable } from '@nestjs/common';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type Sessions } from '../../identity/people.contract.js';
import type { NewSession, SignedIn } from '../../identity/signed-in.contract.js';
import { csrfTokenOf } from './csrf.policy.js';
import { setDeviceCookie } from './device-cookie.js';
import { SessionCookie } from './session-cookie.js';

/** Answers whatever begins, changes or reads a session. */
@Injectable()
export class SessionAnswer {
  constructor(
    @Inject(PEOPLE) private readonly people: { readonly sessions: Pick<Sessions, 'organizationsOf'> },
    private readonly cookie: SessionCookie,
  ) {}

  /** Hands the secret of a new session to the browser and shows the session. */
  async begin(reply: FastifyReply, { secret, signedIn, deviceCookie }: NewSession): Promise<SessionView> {
    const view = await this.view(signedIn, csrfTokenOf(secret));
    this.cookie.set(reply, secret);
    if (deviceCookie !== null) this.remember(reply, deviceCookie);
    return view;
  }

  /** Hands the cookie by which the account knows the browser to it. */
  remember(reply: FastifyReply, deviceCookie: string): void {
    setDeviceCookie(reply, deviceCookie, this.cookie.isSecure(reply.request));
  }

  /** Hands a session's new secret to the browser, in an answer about something else. */
  renew(reply: FastifyReply, { secret }: NewSession): void {
    this.cookie.set(reply, secret);
  }

  /** A session as the application shows it. */
  async view({ user, organization, role, secondFactor }: SignedIn, csrfToken: string): Promise<SessionView> {
    const organizations = await this.people.sessions.organizationsOf(user.id);
    return { user, organization, role, csrfToken, secondFactor, organizations };
  }

  /** The secret that the browser still has, valid or not; null without one. */
  formerSecret({ request }: FastifyReply): string | null {
    return this.cookie.read(request);
  }

  /** Removes the session from the browser. */
  end(reply: FastifyReply): void {
    this.cookie.clear(reply);
  }
}
