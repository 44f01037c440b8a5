import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token that a session's requests show in `X-CSRF-Token`: 256 bits, base64url. It follows from the session's secret, so
 * that nothing is stored and it changes with it, and does not reveal it.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('switchboard csrf').digest('base64url');
}

/** Whether a header shows that token; in a time that does not tell how much of it was right. */
export function isCsrfToken(shown: string | string[] | undefined, secret: string): boolean {
  if (typeof shown !== 'string') return false;
  const [a, b] = [Buffer.from(shown), Buffer.from(csrfTokenOf(secret))];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What the origin of a request is compared with. */
export interface OwnOrigin {
  /** The host that the request came to, with its port. */
  readonly host: string;
  readonly isSecure: boolean;
  /** The API's canonical base; empty when there is none. */
  readonly publicBaseUrl: string;
}

/**
 * Whether a page of ours made the request, as the browser says: by `Origin`, by `Referer` where it sends none, and not when
 * it sends neither.
 *
 * Source: OWASP, "Cross-Site Request Forgery Prevention", "Verifying Origin With Standard Headers".
 */
export function isSameOrigin(
  headers: { readonly origin?: string | undefined; readonly referer?: string | undefined },
  own: OwnOrigin,
): boolean {
  const shown = URL.parse(headers.origin ?? headers.referer ?? '');
  if (!shown || !/^https?:$/.test(shown.protocol)) return false;
  if (own.publicBaseUrl !== '' && shown.origin === new URL(own.publicBaseUrl).origin) return true;
  // A page over http may be anybody's who is on the way: it is another origin to a site on https.
  if (own.isSecure && shown.protocol !== 'https:') return false;
  return URL.parse(`${shown.protocol}//${own.host}`)?.host === shown.host;
}
