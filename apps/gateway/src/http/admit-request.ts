import { context } from '@opentelemetry/api';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, RateState } from '../identity/admission.contract.js';
import { shownKey } from './authentication/credentials.policy.js';
import type { FailedKeys } from './authentication/failed-keys.js';
import { admitSession, refuseOtherOrigins, type AdmitSessionParts } from './session/admit-session.js';
import { isAppApiPath } from './app-headers.policy.js';
import { httpLimits, refusalOfBodyHeaders } from './request-limits.policy.js';
import { bodyUseOf, isApiPath, OPEN_PATH, type RouteDeclaration } from './route-declaration.js';
import { pathOf, type RouteTable } from './route-table.js';

/** What admission at the edge needs. */
export interface AdmitParts extends AdmitSessionParts {
  readonly admission: Admission;
  readonly failedKeys: FailedKeys;
  readonly routes: RouteTable;
}

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Lets a request in before its body is read, in the order of checks: 401, 429, 403, then whether the route exists (404,
 * 405), then the headers that describe a body (415, 413). Sets the headers of the rate limit. Routes under /v1 need a key,
 * those under /app/api a session, unknown ones too.
 *
 * Source: docs/api-behaviour.md#errors-order.
 *
 * @throws AppError
 */
export async function admitRequest(parts: AdmitParts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const path = pathOf(request.raw.url ?? '');
  const declaration = request.is404 ? undefined : request.routeOptions.config.declaration;
  const access = declaration?.access ?? accessOfUnknown(path);
  if (access === 'key') await authenticate(parts, declaration, request, reply);
  if (access === 'session') await admitSession(parts, declaration, request);
  if (access === 'visitor') refuseOtherOrigins(parts, request);
  if (!declaration) throw refusalOfUnknown(parts.routes, path, reply);
  if (BODY_METHODS.has(request.method)) checkBodyHeaders(request, declaration);
}

function checkBodyHeaders({ raw: { headers } }: FastifyRequest, declaration: RouteDeclaration): void {
  const use = bodyUseOf(declaration);
  // Fastify refuses a type that it cannot read, whatever becomes of the body.
  if (use === 'ignored') delete headers['content-type'];
  const rawBytesMax = declaration.access === 'public' ? declaration.rawBodyBytesMax : undefined;
  const refusal = refusalOfBodyHeaders(headers, { use, bytesMax: rawBytesMax ?? httpLimits.bodyBytesMax });
  if (refusal) throw refusal;
}

function accessOfUnknown(path: string): RouteDeclaration['access'] {
  if (isAppApiPath(path)) return 'session';
  return isApiPath(path) && path !== OPEN_PATH ? 'key' : 'public';
}

async function authenticate(
  { admission, failedKeys }: AdmitParts,
  declaration: RouteDeclaration | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { edge } = request;
  const { scope, cost } = declaration?.access === 'key' ? declaration : { scope: null, cost: 1 as const };
  const question = { key: shownKey(request.raw.rawHeaders), scope, cost };
  const verdict = await context.with(edge.context, () => admission.admit(question));
  if (verdict.state === 'unknown-key') throw await failedKeys.refusalFor(request.ip, edge.startedMs);
  edge.organizationId = verdict.organizationId;
  edge.keyId = verdict.keyId;
  setRateHeaders(reply, verdict.rate);
  if (verdict.state === 'limited') {
    const { retryAfterSeconds } = verdict;
    throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
  }
  if (!verdict.hasScope) {
    throw new AppError(gatewayErrors.INSUFFICIENT_SCOPE, `The API key lacks the scope \`${scope}\``);
  }
  edge.admitted = verdict;
}

function setRateHeaders(reply: FastifyReply, rate: RateState): void {
  reply.header('ratelimit-limit', String(rate.limit));
  reply.header('ratelimit-remaining', String(rate.remaining));
  reply.header('ratelimit-reset', String(rate.resetSeconds));
}

function refusalOfUnknown(routes: RouteTable, path: string, reply: FastifyReply): AppError {
  const methods = routes.methodsOf(path);
  if (methods.length === 0) return new AppError(gatewayErrors.NOT_FOUND);
  reply.header('allow', methods.join(', '));
  return new AppError(gatewayErrors.METHOD_NOT_ALLOWED, `Method not allowed; this path allows ${methods.join(', ')}`);
}
