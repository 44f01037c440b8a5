import type { Context, Span } from '@opentelemetry/api';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { FastifyRequest } from 'fastify';
import type { Admitted } from '../../organization/admission.contract.js';
import type { RouteDeclaration } from './route-declaration.js';

/** What the edge knows of a request beside what Fastify does. */
export interface EdgeRequest {
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** 32 hex digits: `X-Request-Id`. */
  readonly traceId: string;
  readonly span: Span;
  /** The request's trace; entered again after the body was read, for the reading loses it. */
  readonly context: Context;
  admitted: Admitted | null;
  /** Known for refused requests of a known key as well. */
  organizationId: string | null;
  keyId: string | null;
  /** The code it was refused with. */
  code: string | null;
  /** What the route's declared `input` made of the request. */
  input: unknown;
}

declare module 'fastify' {
  interface FastifyRequest {
    edge: EdgeRequest;
  }
  interface FastifyContextConfig {
    declaration?: RouteDeclaration;
  }
}

/** A request whose route declared `input`, as its handler gets it. */
export interface RequestOf<Input> extends FastifyRequest {
  readonly edge: Omit<EdgeRequest, 'input'> & { readonly input: Input };
}

/** On whose behalf the handler of a route with a key acts. @throws Error on a route without one: a bug */
export function principalOf(request: { readonly edge: Pick<EdgeRequest, 'admitted'> }): Principal {
  const admitted = admittedOf(request);
  return {
    organizationId: admitted.organizationId,
    actor: { type: 'key', keyId: admitted.keyId },
    scopes: admitted.scopes,
  };
}

/** What admission said of a request with a key. @throws Error on a route without one: a bug */
export function admittedOf(request: { readonly edge: Pick<EdgeRequest, 'admitted'> }): Admitted {
  const { admitted } = request.edge;
  if (!admitted) throw new Error('a route without a key has no principal');
  return admitted;
}
