import { Inject, Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../gateway.config.js';

/** As long as the session at most. */
const MAX_AGE_SECONDS = 12 * 3_600;

/**
 * The cookie that carries a session's secret: out of reach for scripts (`HttpOnly`), not sent by other sites except with
 * a link that leads here (`SameSite=Lax`).
 *
 * Where the site is on https it is `Secure`, and the prefix `__Host-` has browsers take it from no other host and over no
 * other scheme. Source: RFC 6265bis, 4.1.
 */
@Injectable()
export class SessionCookie {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_BASE_URL'>) {}

  /** Whether the site is on https, as a trusted proxy or the canonical base says. */
  isSecure(request: FastifyRequest): boolean {
    return request.protocol === 'https' || this.config.PUBLIC_BASE_URL.startsWith('https:');
  }

  /** The application's origin in the caller's browser: for links. @param callerOrigin as the request has it */
  originOf(callerOrigin: string): string {
    return this.config.PUBLIC_BASE_URL === '' ? callerOrigin : new URL(this.config.PUBLIC_BASE_URL).origin;
  }

  /** The secret in a request's cookie; null without one. */
  read(request: FastifyRequest): string | null {
    const { cookie } = request.headers;
    return cookie === undefined ? null : (parseCookie(cookie)[this.nameFor(request)] ?? null);
  }

  /** Hands a secret to the browser. */
  set(reply: FastifyReply, secret: string): void {
    this.write(reply, secret, MAX_AGE_SECONDS);
  }

  /** Removes the cookie from the browser. */
  clear(reply: FastifyReply): void {
    this.write(reply, '', 0);
  }

  private write(reply: FastifyReply, value: string, maxAge: number): void {
    const secure = this.isSecure(reply.request);
    const name = this.nameFor(reply.request);
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
    reply.header('set-cookie', stringifySetCookie({ name, value, maxAge, ...attributes }));
  }

  private nameFor(request: FastifyRequest): string {
    return this.isSecure(request) ? '__Host-switchboard_session' : 'switchboard_session';
  }
}
