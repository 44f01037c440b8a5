import type { Context, Span } from '@opentelemetry/api';
import type { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { FastifyRequest } from 'fastify';
import type { Admitted } from '../identity/admission.contract.js';
import type { SessionAct } from '../identity/audit.contract.js';
import type { ActSource, SignedIn } from '../identity/people.contract.js';
import type { RouteDeclaration } from './route-declaration.js';

/** A request that is to have its effect once. */
export interface KeyedRequest {
  /** In hexadecimal. */
  readonly keySha256: string;
  /** Of the body's bytes, in hexadecimal. */
  readonly bodySha256: string;
  /**
   * What its shape or the plan is refused for, held back: the handler looks for an answer given before first, and throws
   * this when there is none. With it there is no `input`. Source: docs/api-behaviour.md#errors-order.
   */
  readonly refusal: AppError | null;
}

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
  /** Who is signed in, on a route for sessions. */
  session: EdgeSession | null;
  /** Known for refused requests of a known key as well. */
  organizationId: string | null;
  keyId: string | null;
  /** The code it was refused with. */
  code: string | null;
  /** What the route's declared `input` made of the request. */
  input: unknown;
  /** Of a request with an `Idempotency-Key` to a route that takes one; null for any other. */
  keyed: KeyedRequest | null;
}

/** A person's session as handlers see it; its secret stays in the cookie. */
export interface EdgeSession extends SignedIn {
  /** What `X-CSRF-Token` has to show. */
  readonly csrfToken: string;
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

/** On whose behalf the handler of a route with a key or a session acts. @throws Error on a route without: a bug */
export function principalOf(request: { readonly edge: Pick<EdgeRequest, 'admitted' | 'session'> }): Principal {
  const { admitted, session } = request.edge;
  if (admitted) {
    const { organizationId, keyId, scopes } = admitted;
    return { organizationId, actor: { type: 'key', keyId }, scopes };
  }
  const { organization, user } = sessionOf({ edge: { session } });
  return { organizationId: organization.id, actor: { type: 'user', userId: user.id }, scopes: null };
}

/** Who is signed in, for the handler of a route for sessions. @throws Error on another route: a bug */
export function sessionOf(request: { readonly edge: Pick<EdgeRequest, 'session'> }): EdgeSession {
  const { session } = request.edge;
  if (!session) throw new Error('the route has neither key nor session');
  return session;
}

/** Where a request came from, for the audit log. */
export function sourceOf(
  request: Pick<FastifyRequest, 'ip'> & { readonly edge: Pick<EdgeRequest, 'traceId'> },
): ActSource {
  return { address: request.ip, traceId: request.edge.traceId };
}

/** Who does what the handler of a route for sessions is asked for, and from where. @throws Error on another route: a bug */
export function actOf(
  request: Pick<FastifyRequest, 'ip'> & { readonly edge: Pick<EdgeRequest, 'session' | 'traceId'> },
): SessionAct {
  const { organization, user, sessionId } = sessionOf(request);
  const actor = { type: 'user', id: user.id, email: user.email } as const;
  return { organizationId: organization.id, actor, sessionId, ...sourceOf(request) };
}

/** What admission said of a request with a key. @throws Error on a route without one: a bug */
export function admittedOf(request: { readonly edge: Pick<EdgeRequest, 'admitted'> }): Admitted {
  const { admitted } = request.edge;
  if (!admitted) throw new Error('a route without a key has no principal');
  return admitted;
}
