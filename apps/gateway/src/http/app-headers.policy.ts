/** True for the application and its API. */
export function isAppPath(path: string): boolean {
  return path === '/app' || path.startsWith('/app/');
}

/** True for the application's API, where even unknown paths need a session. */
export function isAppApiPath(path: string): boolean {
  return path === '/app/api' || path.startsWith('/app/api/');
}

/** The header that keeps browsers on https: a year, as the lists that browsers ship ask for. Source: RFC 6797. */
export const HSTS = 'max-age=31536000';

/**
 * Headers of every answer below /app: nothing of it is framed, loaded by another site, sniffed or sent to another site as a referrer. An
 * answer that is a page brings its own policy of content. Source: OWASP, "HTTP Security Response Headers".
 */
export function appHeaders(path: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    ...(isAppApiPath(path) ? { 'cache-control': 'no-store' } : {}),
  };
}
