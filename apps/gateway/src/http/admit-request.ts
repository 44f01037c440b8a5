import { context } from '@opentelemetry/api';
import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMISSION, type Admission, type RateState } from '../identity/admission.contract.js';
import { bearerToken } from './authentication/credentials.policy.js';
import { FailedAttempts } from './authentication/failed-attempts.js';
import { AdmitSession } from './session/admit-session.js';
import { isAppApiPath } from './app-headers.policy.js';
import { httpLimits, refusalOfBodyHeaders } from './request-limits.policy.js';
import { bodyUseOf, isApiPath, OPEN_PATH, streamedBytesMaxOf, type RouteDeclaration } from './route-declaration.js';
import { pathOf, RouteTable } from './route-table.js';

/** The media type under which Fastify hands on a body as a stream; callers cannot choose it: theirs is checked before. */
export const STREAMED_TYPE = 'application/x-streamed-json';

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Admits a request before its body is read, in the order of checks: 401, 429, 403, then whether the route exists (404, 405),
 * then the headers that describe a body (415, 413). Sets the headers of the rate limit.
 *
 * Unknown paths under /v1 need a key as well, those under /app/api a session. Source: docs/api-behaviour.md#errors-order.
 */
@Injectable()
export class AdmitRequest {
  constructor(
    @Inject(ADMISSION) private readonly admission: Admission,
    private readonly admitSession: AdmitSession,
    private readonly failedAttempts: FailedAttempts,
    private readonly routes: RouteTable,
  ) {}

  /** @throws AppError */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = pathOf(request.raw.url ?? '');
    const { url = '', config } = request.routeOptions;
    const isUnknown = request.is404 || this.routes.isShadowed(url, path);
    const declaration = isUnknown ? undefined : config.declaration;
    const access = declaration?.access ?? accessOfUnknown(path);
    if (access === 'key') await this.authenticate(declaration, request, reply);
    if (access === 'session') await this.admitSession.admit(declaration, request);
    if (access === 'visitor') this.admitSession.refuseOtherOrigins(request);
    if (!declaration) throw this.refusalOfUnknown(path, reply);
    if (BODY_METHODS.has(request.method)) checkBodyHeaders(request, declaration);
  }

  private async authenticate(
    declaration: RouteDeclaration | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { state } = request;
    const { scope, cost } = declaration?.access === 'key' ? declaration : { scope: null, cost: 1 as const };
    const question = { key: bearerToken(request.raw.rawHeaders), scope, cost };
    const verdict = await context.with(state.traceContext, () => this.admission.admit(question));
    if (verdict.state === 'unknown-key') {
      throw await this.failedAttempts.refusalFor({ address: request.ip, arrivedMs: state.startedMs });
    }
    state.organizationId = verdict.organizationId;
    state.keyId = verdict.keyId;
    setRateHeaders(reply, verdict.rate);
    if (verdict.state === 'limited') {
      const { retryAfterSeconds } = verdict;
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
    }
    if (!verdict.hasScope) {
      throw new AppError(gatewayErrors.INSUFFICIENT_SCOPE, `The API key lacks the scope \`${scope}\``);
    }
    state.admitted = verdict;
  }

  private refusalOfUnknown(path: string, reply: FastifyReply): AppError {
    const methods = this.routes.methodsOf(path);
    if (methods.length === 0) return new AppError(serviceErrors.NOT_FOUND);
    reply.header('allow', methods.join(', '));
    return new AppError(gatewayErrors.METHOD_NOT_ALLOWED, `Method not allowed; this path allows ${methods.join(', ')}`);
  }
}

function checkBodyHeaders({ raw: { headers } }: FastifyRequest, declaration: RouteDeclaration): void {
  const use = bodyUseOf(declaration);
  // Fastify refuses a media type that it has no parser for, even where the body is ignored.
  if (use === 'ignored') delete headers['content-type'];
  const rawBytesMax = declaration.access === 'public' ? declaration.rawBodyBytesMax : streamedBytesMaxOf(declaration);
  const refusal = refusalOfBodyHeaders(headers, { use, bytesMax: rawBytesMax ?? httpLimits.bodyBytesMax });
  if (refusal) throw refusal;
  // Chooses the parser that reads nothing.
  if (use === 'stream') headers['content-type'] = STREAMED_TYPE;
}

function accessOfUnknown(path: string): RouteDeclaration['access'] {
  if (isAppApiPath(path)) return 'session';
  return isApiPath(path) && path !== OPEN_PATH ? 'key' : 'public';
}

function setRateHeaders(reply: FastifyReply, rate: RateState): void {
  reply.header('ratelimit-limit', String(rate.limit));
  reply.header('ratelimit-remaining', String(rate.remaining));
  reply.header('ratelimit-reset', String(rate.resetSeconds));
}
