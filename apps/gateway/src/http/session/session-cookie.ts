import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** As long as the session at most. */
const MAX_AGE_SECONDS = 12 * 3_600;

/**
 * The cookie that carries a session's secret: out of reach for scripts (`HttpOnly`), not sent along by other sites but for
 * a link that leads here (`SameSite=Lax`).
 *
 * Where the site is on https it is `Secure`, and the prefix `__Host-` has browsers take it from no other host and over no
 * other scheme. Source: RFC 6265bis, 4.1.
 */
export class SessionCookie {
  /** @param publicBaseUrl the API's canonical base; empty when there is none */
  constructor(private readonly publicBaseUrl: string) {}

  /** Whether the site is on https, as far as can be known: a proxy that is trusted says so, or the canonical base. */
  isSecure(request: FastifyRequest): boolean {
    return request.protocol === 'https' || this.publicBaseUrl.startsWith('https:');
  }

  /** Where the application is, as the person who asks sees it: for links. */
  originOf(request: FastifyRequest): string {
    if (this.publicBaseUrl !== '') return new URL(this.publicBaseUrl).origin;
    return `${request.protocol}://${request.host}`;
  }

  /** The secret that a request shows; null when it shows none. */
  read(request: FastifyRequest): string | null {
    const { cookie } = request.headers;
    return cookie === undefined ? null : (parseCookie(cookie)[this.nameFor(request)] ?? null);
  }

  /** Hands a secret to the browser. */
  set(request: FastifyRequest, reply: FastifyReply, secret: string): void {
    this.write(request, reply, secret, MAX_AGE_SECONDS);
  }

  /** Has the browser forget it. */
  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.write(request, reply, '', 0);
  }

  private write(request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number): void {
    const secure = this.isSecure(request);
    const name = this.nameFor(request);
    const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
    reply.header('set-cookie', stringifySetCookie({ name, value, maxAge, ...attributes }));
  }

  private nameFor(request: FastifyRequest): string {
    return this.isSecure(request) ? '__Host-switchboard_session' : 'switchboard_session';
  }
}
