/** In origin form, or in absolute form as for a proxy. Source: RFC 9112, 3.2. */
const LEGACY = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*)?\/api(\/v1(?:[/?].*)?)$/s;

/** When the old base was given up, as RFC 9745 wants it: a structured date. */
export const LEGACY_DEPRECATION = '@1704067200';

/**
 * Where a request to the legacy base belongs: path and query stay, byte for byte; null for any other target.
 *
 * @param publicBaseUrl empty: the answer stays on the host that was asked
 * Source: docs/api-behaviour.md#versioning-legacy.
 */
export function legacyLocation(target: string, publicBaseUrl: string): string | null {
  const path = LEGACY.exec(target)?.[1];
  if (path === undefined) return null;
  // The path begins with /v1, so that it can never be read as another host's. A header takes no other bytes; Node gives
  // those of the request line as latin-1, one character each.
  // What would end the target in `Link` is no part of a well-formed one either (RFC 3986).
  return publicBaseUrl + path.replace(/[^\x21-\x7e]|[<>"\\^`{|}]/g, percentEncoded);
}

function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
