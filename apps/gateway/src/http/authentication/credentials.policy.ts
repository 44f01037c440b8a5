const BEARER = /^bearer +([\x21-\x7e]+)$/i;

/**
 * The bearer token of a request; null when there is none, more than one, or anything else.
 *
 * Source: RFC 6750, 2.1; the scheme in any case: RFC 9110, 11.1.
 */
export function bearerToken(rawHeaders: readonly string[]): string | null {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (found !== undefined) return null;
    found = rawHeaders[index + 1] ?? '';
  }
  return found === undefined ? null : (BEARER.exec(found)?.[1] ?? null);
}
