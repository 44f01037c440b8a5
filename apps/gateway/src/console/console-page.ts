import { randomBytes } from 'node:crypto';

/** Where the built page has the nonce. */
const PLACEHOLDER = 'STYLE_NONCE';

/** 128 bits that no script of another page can guess. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}

/** The page with the nonce that its policy names. @throws Error when the page has no place for it */
export function consolePage(html: string, nonce: string): string {
  if (!html.includes(PLACEHOLDER)) throw new Error('the console was built without a place for the nonce of its styles');
  return html.replaceAll(PLACEHOLDER, nonce);
}

/**
 * Headers of the console's page. Scripts, pictures and requests are this site's alone, none is inline; style elements need the
 * nonce, for the component library writes its variables into one. Never stored: Back after signing out asks again.
 */
export function consoleHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}
