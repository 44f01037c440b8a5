import type { IncomingHttpHeaders } from 'node:http';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { AppError, ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { RouteOptions } from 'fastify';
import type { AppTag } from '../description/app-api.js';
import type { ApiTag } from '../description/public-api.js';
import type { Payment, Scope } from '../identity/admission.contract.js';
import type { Role } from '../identity/signed-in.contract.js';
import { isAppApiPath } from './app-headers.policy.js';
import { httpLimits, type BodyUse } from './request-limits.policy.js';
import type { RouteDocs } from './route-docs.js';

/** A route under /v1: it needs a key. */
export interface KeyRoute {
  readonly access: 'key';
  /** Null: the route needs none, and never answers 402. */
  readonly scope: Scope | null;
  /** What must be paid for it; its scope by default. `nothing`: it never answers 402. */
  readonly payment?: Payment;
  /** Its refusals, without those of any route (401, 429, 400, 5xx and those of HTTP itself). */
  readonly errors: readonly ErrorDefinition[];
  /** What a request takes of the organization's rate. */
  readonly cost: 0 | 1;
  /** Present: the handler reads the JSON body as a stream, up to so many bytes, and validates it by the docs itself. */
  readonly streamedBodyBytesMax?: number;
  /** Whether it takes an `Idempotency-Key`: then its handler has an `@Idempotency()`, and throws the refusal in it. */
  readonly takesIdempotencyKey?: boolean;
  /** What it takes and answers: the hooks validate query and body by it, and `GET /v1/openapi.json` describes it. */
  readonly docs: RouteDocs<ApiTag>;
}

/** A route under /app/api: it needs a session and, unless it only reads, the session's token and our own origin. */
export interface SessionRoute {
  readonly access: 'session';
  /** The roles that may call it; null: every member. */
  readonly roles: readonly Role[] | null;
  /** Whether it is open to a person who lacks the second factor that the organization requires: what leads to one. */
  readonly isOpenWithoutSecondFactor?: boolean;
  /** Its refusals, without those of any such route (401, 403, 429, 400, 5xx and those of HTTP itself). */
  readonly errors: readonly ErrorDefinition[];
  /** Present: the organization's plan must cover it, as it must for a key with this scope; absent: whatever is paid. */
  readonly paidScope?: Scope;
  /** As that of `KeyRoute`. */
  readonly streamedBodyBytesMax?: number;
  /** Present where a valid body may be larger than the 16 KiB that bodies under /app/api have. */
  readonly bodyBytesMax?: number;
  /** As that of `KeyRoute`. */
  readonly takesIdempotencyKey?: boolean;
  /** What it takes and answers: the hooks validate query and body by it, and `GET /app/openapi.json` describes it. */
  readonly docs: RouteDocs<AppTag>;
}

/**
 * A route of a controller with a path under /v1 and one under /app/api: one handler, by key and by session. Under /app/api
 * every member may call it.
 */
export interface SharedRoute
  extends Omit<KeyRoute, 'access' | 'docs'>, Pick<SessionRoute, 'paidScope' | 'bodyBytesMax'> {
  readonly access: 'key-or-session';
  readonly docs: RouteDocs<ApiTag & AppTag>;
}

/** A route under /app/api for people without a session; a change must come from our own origin. */
export interface VisitorRoute {
  readonly access: 'visitor';
  readonly errors: readonly ErrorDefinition[];
  /** What it takes and answers: the hooks validate query and body by it, and `GET /app/openapi.json` describes it. */
  readonly docs: RouteDocs<AppTag>;
}

/** A route that needs neither key nor session: outside of /v1 and /app/api, or the description of /v1. */
export interface PublicRoute {
  readonly access: 'public';
  readonly errors: readonly ErrorDefinition[];
  /** Present exactly where the route belongs to an API that is described. */
  readonly docs?: RouteDocs;
  /** Present: the body is taken as bytes of any media type, up to this many. */
  readonly rawBodyBytesMax?: number;
  /** What is wrong with the headers, asked before the body is read; null when nothing is. */
  readonly refusalOfHeaders?: (headers: IncomingHttpHeaders) => AppError | null;
}

/** The declaration that every route has where it is mounted. */
export type RouteDeclaration = KeyRoute | SessionRoute | VisitorRoute | PublicRoute;

/**
 * A route takes the body that its docs describe, and no other. Clients send `Content-Type: application/json` with every
 * request, a DELETE without a body among them: where a route takes none, a body and its headers are no reason to refuse.
 */
export function bodyUseOf(declaration: RouteDeclaration): BodyUse {
  if (declaration.access === 'public' && declaration.rawBodyBytesMax !== undefined) return 'bytes';
  if (streamedBytesMaxOf(declaration) !== undefined) return 'stream';
  return declaration.docs?.body === undefined ? 'ignored' : 'json';
}

/** Bytes of a body that the handler reads as a stream; undefined for a route whose body the hooks read. */
function streamedBytesMaxOf(declaration: RouteDeclaration): number | undefined {
  const { access } = declaration;
  return access === 'key' || access === 'session' ? declaration.streamedBodyBytesMax : undefined;
}

/** Bytes that the body of a route may have, however it is read. Source: docs/api-behaviour.md#body-size. */
export function bodyBytesMaxOf(declaration: RouteDeclaration): number {
  const { access } = declaration;
  if (access === 'public') return declaration.rawBodyBytesMax ?? httpLimits.bodyBytesMax;
  if (access === 'key') return declaration.streamedBodyBytesMax ?? httpLimits.bodyBytesMax;
  const ownMax = access === 'session' ? (declaration.streamedBodyBytesMax ?? declaration.bodyBytesMax) : undefined;
  return ownMax ?? httpLimits.appBodyBytesMax;
}

/** Declares a route. One that does not declare is refused when the gateway starts. */
export function Declare(declared: RouteDeclaration | SharedRoute): MethodDecorator {
  return RouteConfig({ declared });
}

/**
 * Checks a route that is about to be registered and applies its limit on bodies.
 *
 * @throws Error that names the route: it declares nothing, or its access does not fit its path
 */
export function applyDeclaration(route: RouteOptions): void {
  const declared = route.config?.declared;
  const declaration = declared?.access === 'key-or-session' ? mountedAs(declared, route.url) : declared;
  const name = `${String(route.method)} ${route.url}`;
  if (!declaration) throw new Error(`${name} has no @Declare with its access, errors and docs`);
  route.config = { ...route.config, declaration };
  if ((declaration.access === 'key') !== (isApiPath(route.url) && route.url !== OPEN_PATH)) {
    throw new Error(`${name}: a route needs a key exactly when it is under /v1`);
  }
  if ((declaration.access === 'session' || declaration.access === 'visitor') !== isAppApiPath(route.url)) {
    throw new Error(`${name}: a route is for sessions or visitors exactly when it is under /app/api`);
  }
  if ((declaration.docs !== undefined) !== (isApiPath(route.url) || isAppApiPath(route.url))) {
    throw new Error(`${name}: a route has docs exactly when it is under /v1 or /app/api`);
  }
  if (bodyUseOf(declaration) !== 'stream') route.bodyLimit = bodyBytesMaxOf(declaration);
}

/** What a shared route is under one of its paths. */
function mountedAs(
  { scope, payment, cost, paidScope, bodyBytesMax, ...both }: SharedRoute,
  url: string,
): RouteDeclaration {
  if (!isAppApiPath(url)) return { ...both, access: 'key', scope, ...(payment && { payment }), cost };
  const ofSession = { ...(paidScope && { paidScope }), ...(bodyBytesMax !== undefined && { bodyBytesMax }) };
  return { ...both, access: 'session', roles: null, ...ofSession };
}

/** The description of /v1, which is public. */
export const OPEN_PATH = '/v1/openapi.json';

/** True for paths under /v1, where unknown ones need a key as well. */
export function isApiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/');
}
