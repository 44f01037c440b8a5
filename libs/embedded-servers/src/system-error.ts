/**
 * The code of a system's error (`ENOENT`, `EADDRINUSE`), undefined for anything else. Not by `instanceof`: under Jest
 * errors of Node's own modules come from another realm, where `Error` is another class.
 */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
