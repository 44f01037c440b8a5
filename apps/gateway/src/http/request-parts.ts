import type { FastifyRequest } from 'fastify';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import type { RouteDeclaration } from './route-declaration.js';

/** What of a request a route reads. */
export interface RequestParts {
  readonly params: object;
  readonly query: object;
  readonly body: object;
}

/**
 * Reads what a request would bring, as the gateway would.
 *
 * @param headers by their names in small letters
 * @throws AppError, whose message names the fields that are not as they should be
 */
export function readParts(
  declaration: RouteDeclaration,
  parts: RequestParts,
  headers: Readonly<Record<string, string>> = {},
): unknown {
  if (declaration.access === 'public') return undefined;
  const rawHeaders = Object.entries(headers).flat();
  const isKeyed = declaration.access === 'key' && declaration.takesKey === true;
  if (isKeyed && headers['idempotency-key'] !== undefined) readIdempotencyKey(rawHeaders);
  const request: object = { ...parts, headers, raw: { url: '/', rawHeaders } };
  return declaration.input?.(request as FastifyRequest);
}
