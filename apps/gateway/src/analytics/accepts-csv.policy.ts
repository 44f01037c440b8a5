/**
 * Whether an answer is CSV rather than JSON. Where `Accept` prefers neither, it is CSV if that alone is named.
 *
 * Source: RFC 9110, 12.4.2 and 12.5.1: the most specific range that covers a type says its weight, and 0 is "not acceptable"
 */
export function acceptsCsv(accept: string): boolean {
  const weights = weightsOf(accept);
  const csv = weightOf(weights, 'text', 'csv');
  const json = weightOf(weights, 'application', 'json');
  if (csv !== json) return csv > json;
  return csv > 0 && weights.has('text/csv') && !weights.has('application/json');
}

function weightsOf(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

function weightOf(weights: ReadonlyMap<string, number>, type: string, subtype: string): number {
  return weights.get(`${type}/${subtype}`) ?? weights.get(`${type}/*`) ?? weights.get('*/*') ?? 0;
}
