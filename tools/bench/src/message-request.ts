import type { LoadRequest } from './load.js';

/** The number of the nth recipient of a bench, E.164. */
export function recipientOf(n: number): string {
  return `+1415555${1_000 + n}`;
}

/** Recipients of a bench, in turn. */
export function recipients(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => recipientOf(n));
}

/** A send by the API, as a bench makes it. */
export function messageRequest(apiKey: string, to: string | undefined): LoadRequest & { readonly body: string } {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const text = 'Your order has left the warehouse and will be with you tomorrow.';
  return { path: '/v1/messages', headers, body: JSON.stringify({ to, text }) };
}
