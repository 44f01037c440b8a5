import type { FastifyRequest } from 'fastify';
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
 * @throws AppError, whose message names the fields that are not as they should be
 */
export function readParts(declaration: RouteDeclaration, parts: RequestParts): unknown {
  if (declaration.access === 'public') return undefined;
  const request: object = { ...parts, headers: {}, raw: { url: '/', rawHeaders: [] } };
  return declaration.input?.(request as FastifyRequest);
}
