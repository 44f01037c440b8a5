/**
 * The one text of a JSON value, whatever the order of its fields and the white space it was written with: equal texts are
 * equal values.
 *
 * @param value as `JSON.parse` returns it, at most 32 levels deep
 * Source: RFC 8785, 3.2 (JSON Canonicalization Scheme); docs/api-behaviour.md#idempotency
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // `1e400` is read as Infinity, which JSON would write as null.
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`).join(',')}}`;
}
