/** What makes a request with an `Idempotency-Key` the same as another one. */
export interface KeyedRequest {
  /** SHA-256 of the caller's `Idempotency-Key`, in hexadecimal. */
  readonly keySha256: string;
  /** SHA-256 of the request's body in its canonical form (RFC 8785), in hexadecimal. */
  readonly bodySha256: string;
}
