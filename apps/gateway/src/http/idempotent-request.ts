import { hash } from 'node:crypto';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyRequest } from 'fastify';
import { canonicalJson } from './canonical-json.policy.js';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import { parseJsonBody } from './json-body.policy.js';

/**
 * Parses the body of a request with an `Idempotency-Key`: notes the hashes of both, and defers the refusal of a body whose
 * syntax is right.
 *
 * @throws AppError MALFORMED_BODY; VALIDATION_FAILED for a malformed key
 */
export function parseIdempotentBody(request: FastifyRequest, bytes: Buffer): Readonly<Record<string, unknown>> {
  let body: Readonly<Record<string, unknown>> = {};
  let refusal: AppError | null = null;
  try {
    body = parseJsonBody(bytes);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== serviceErrors.VALIDATION_FAILED.code) throw error;
    refusal = error;
  }
  const key = readIdempotencyKey(request.raw.rawHeaders);
  const bodyBytesSha256 = hash('sha256', bytes);
  request.state.idempotency = {
    keySha256: hash('sha256', key),
    // No message has ever come of a body that is refused: nothing is stored that could equal it.
    bodySha256: refusal ? bodyBytesSha256 : hash('sha256', canonicalJson(body)),
    bodyBytesSha256,
    refusal,
  };
  return body;
}

/** Defers the refusal of a request with an `Idempotency-Key`. @returns the refusal to answer with now, or null */
export function deferRefusal({ state }: FastifyRequest, refusal: Error | null): Error | null {
  const { idempotency } = state;
  if (!idempotency || (refusal !== null && !(refusal instanceof AppError))) return refusal;
  // The parser's refusal wins: it left no body to validate.
  state.idempotency = { ...idempotency, refusal: idempotency.refusal ?? refusal };
  return null;
}
