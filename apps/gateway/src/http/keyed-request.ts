import { hash } from 'node:crypto';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import { parseJsonBody } from './json-body.policy.js';

/**
 * Reads a JSON body. Where an `Idempotency-Key` came with it, and the route takes one, key and bytes are noted, and what is
 * wrong with the content, beyond its syntax, is held back.
 *
 * @throws AppError MALFORMED_BODY; VALIDATION_FAILED for a bad key, and for content when there is no key
 */
export function parseKeyedBody(request: FastifyRequest, bytes: Buffer): Readonly<Record<string, unknown>> {
  const { declaration } = request.routeOptions.config;
  const isKeyed = declaration?.access === 'key' && declaration.takesKey === true;
  if (!isKeyed || request.headers['idempotency-key'] === undefined) return parseJsonBody(bytes);
  let body: Readonly<Record<string, unknown>> = {};
  let refusal: AppError | null = null;
  try {
    body = parseJsonBody(bytes);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== gatewayErrors.VALIDATION_FAILED.code) throw error;
    refusal = error;
  }
  const key = readIdempotencyKey(request.raw.rawHeaders);
  request.edge.keyed = { keySha256: hash('sha256', key), bodySha256: hash('sha256', bytes), refusal };
  return body;
}

/** Holds back the refusal of a request with a key. @returns what is to be refused at once, or null */
export function holdRefusal({ edge }: FastifyRequest, refusal: Error | null): Error | null {
  const { keyed } = edge;
  if (!keyed || (refusal !== null && !(refusal instanceof AppError))) return refusal;
  // What the parser found comes first: of a body that it refused there was nothing to read.
  edge.keyed = { ...keyed, refusal: keyed.refusal ?? refusal };
  return null;
}
