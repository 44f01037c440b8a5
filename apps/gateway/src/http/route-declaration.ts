import { RouteConfig } from '@nestjs/platform-fastify';
import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { AppTag } from '../description/app-api.js';
import type { ApiTag } from '../description/public-api.js';
import type { Scope } from '../identity/admission.contract.js';
import type { Role } from '../identity/people.contract.js';
import { isAppApiPath } from './app-headers.policy.js';
import type { RouteDocs } from './route-docs.js';

/** A route under /v1: it needs a key. */
export interface KeyRoute {
  readonly access: 'key';
  /** Null: none is needed, and the route never answers 402. */
  readonly scope: Scope | null;
  /** What it can refuse beside what any route can (401, 429, 400, 5xx and what HTTP itself brings). */
  readonly errors: readonly ErrorDefinition[];
  /** What a request takes of the organization's rate. */
  readonly cost: 0 | 1;
  /** Reads and checks what the request brings, before the plan is asked. @throws AppError VALIDATION_FAILED */
  readonly input?: (request: FastifyRequest) => unknown;
  /** Whether it takes an `Idempotency-Key`: then its handler must look at `edge.keyed`, and throw what is held there. */
  readonly takesKey?: boolean;
  /** What `GET /v1/openapi.json` says of it. */
  readonly docs: RouteDocs<ApiTag>;
}

/** A route under /app/api: it needs a session and, unless it only reads, the session's token and our own origin. */
export interface SessionRoute {
  readonly access: 'session';
  /** Who may; null: every member. */
  readonly roles: readonly Role[] | null;
  /** What it can refuse beside what any such route can (401, 403, 429, 400, 5xx and what HTTP itself brings). */
  readonly errors: readonly ErrorDefinition[];
  /** Reads and checks what the request brings. @throws AppError VALIDATION_FAILED */
  readonly input?: (request: FastifyRequest) => unknown;
  /** What `GET /app/openapi.json` says of it. */
  readonly docs: RouteDocs<AppTag>;
}

/** A route under /app/api for people who have no session yet; what acts must come from our own origin. */
export interface VisitorRoute {
  readonly access: 'visitor';
  readonly errors: readonly ErrorDefinition[];
  /** Reads and checks what the request brings. @throws AppError VALIDATION_FAILED */
  readonly input?: (request: FastifyRequest) => unknown;
  /** What `GET /app/openapi.json` says of it. */
  readonly docs: RouteDocs<AppTag>;
}

/** A route that needs neither key nor session: one beside /v1 and /app/api, or the description of /v1. */
export interface PublicRoute {
  readonly access: 'public';
  readonly errors: readonly ErrorDefinition[];
  /** Present exactly where the route belongs to an API that is described. */
  readonly docs?: RouteDocs;
  /** Present: the body is taken as bytes of any media type, up to this many. */
  readonly rawBodyBytesMax?: number;
}

/** What every route says of itself. */
export type RouteDeclaration = KeyRoute | SessionRoute | VisitorRoute | PublicRoute;

/** What becomes of a body that came: read as JSON, passed on as bytes, or read away unseen where a route takes none. */
export type BodyUse = 'json' | 'bytes' | 'ignored';

/**
 * A route takes the body that its docs describe, and no other. Clients send `Content-Type: application/json` with every
 * request, a DELETE without a body among them: where none is taken, neither it nor its headers may be a reason to refuse.
 */
export function bodyUseOf(declaration: RouteDeclaration): BodyUse {
  if (declaration.access === 'public' && declaration.rawBodyBytesMax !== undefined) return 'bytes';
  return declaration.docs?.body === undefined ? 'ignored' : 'json';
}

/** Declares a route. One that does not declare is refused when the gateway starts. */
export function Declare(declaration: RouteDeclaration): MethodDecorator {
  return RouteConfig({ declaration });
}

/**
 * Checks a route that is about to be registered and applies its limit on bodies.
 *
 * @throws Error that names the route: it declares nothing, or its access does not fit its path
 */
export function applyDeclaration(route: RouteOptions): void {
  const declaration = route.config?.declaration;
  const name = `${String(route.method)} ${route.url}`;
  if (!declaration) throw new Error(`${name} declares no scope, errors and cost`);
  if ((declaration.access === 'key') !== (isApiPath(route.url) && route.url !== OPEN_PATH)) {
    throw new Error(`${name}: a route needs a key exactly when it is under /v1`);
  }
  if ((declaration.access === 'session' || declaration.access === 'visitor') !== isAppApiPath(route.url)) {
    throw new Error(`${name}: a route is for sessions or visitors exactly when it is under /app/api`);
  }
  if ((declaration.docs !== undefined) !== (isApiPath(route.url) || isAppApiPath(route.url))) {
    throw new Error(`${name}: a route has docs exactly when it is under /v1 or /app/api`);
  }
  if (declaration.access === 'public' && declaration.rawBodyBytesMax !== undefined) {
    route.bodyLimit = declaration.rawBodyBytesMax;
  }
}

/** The description of /v1: described for everybody, and so no secret. Source: docs/api-behaviour.md#versioning. */
export const OPEN_PATH = '/v1/openapi.json';

/** True for what lies under /v1, where even unknown paths need a key. */
export function isApiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
