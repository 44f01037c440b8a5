/**
 * The `Idempotency-Key` of what one form creates: the same body sent again, after no answer or a failure, has the same key and creates
 * nothing twice. Another body takes another key: under the same one it would be a conflict.
 */
export class RequestKey {
  private last: { readonly body: string; readonly key: string } | null = null;

  /** The header for a request with this body. */
  headersOf(body: unknown): Readonly<Record<string, string>> {
    const text = JSON.stringify(body);
    if (this.last?.body !== text) this.last = { body: text, key: crypto.randomUUID() };
    return { 'idempotency-key': this.last.key };
  }
}
