import { context } from '@opentelemetry/api';
import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { CLOCK, type Clock } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMISSION, type Admission, type RateState } from '../identity/admission.contract.js';
import { bearerToken } from './authentication/credentials.policy.js';
import { FailedAttempts } from './authentication/failed-attempts.js';
import { AdmitSession } from './session/admit-session.js';
import { isAppApiPath } from './app-headers.policy.js';
import { MalformedRequestLimit } from './malformed-request-limit.js';
import { refusalOfBodyHeaders } from './request-limits.policy.js';
import { bodyBytesMaxOf, bodyUseOf, isApiPath, OPEN_PATH, type RouteDeclaration } from './route-declaration.js';
import { requestedPath, RouteTable } from './route-table.js';

/** The media type under which Fastify hands on a body as a stream; callers cannot choose it: theirs is checked before. */
export const STREAMED_TYPE = 'application/x-streamed-json';

/** A request that was admitted so long ago is admitted again when its body has ended. Source: docs/api-behaviour.md#keys-revocation. */
const ADMISSION_HOLDS_MS = 1_000;
/** It needs a key as well. */
const UNKNOWN_ROUTE = { scope: null, payment: 'scope', cost: 1 } as const;

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
    private readonly malformedRequests: MalformedRequestLimit,
    private readonly routes: RouteTable,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws AppError */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = requestedPath(request);
    const { url = '', config } = request.routeOptions;
    const isUnknown = request.is404 || this.routes.isShadowed(url, path);
    const declaration = isUnknown ? undefined : config.declaration;
    const access = declaration?.access ?? accessOfUnknown(path);
    if (access === 'key') await this.authenticate(declaration, request, reply);
    if (access === 'session') await this.admitSession.admit(declaration, request);
    if (access === 'visitor') {
      this.malformedRequests.refusePastAllowance(request.state.address);
      this.admitSession.refuseOtherOrigins(request);
    }
    request.state.admittedMs = this.clock.monotonic();
    if (!declaration) throw this.refusalOfUnknown(path, reply);
    if (BODY_METHODS.has(request.method)) checkBodyHeaders(request, declaration);
  }

  /**
   * Asks again for a request whose body ended long after its admission: a key that was revoked and a session that was ended
   * meanwhile are refused, and `state` has what the subscription covers now. Takes nothing of the rate. Resolves at once for
   * any other request.
   *
   * @throws AppError UNAUTHORIZED, FORBIDDEN, SERVICE_UNAVAILABLE
   */
  async admitAgain(request: FastifyRequest): Promise<void> {
    const { state } = request;
    if (!this.isLongAgo(request)) return;
    const { declaration } = request.routeOptions.config;
    if (declaration?.access === 'session') await this.admitSession.admit(declaration, request, 0);
    if (declaration?.access !== 'key') return;
    const { scope, payment } = declaration;
    const question = { key: bearerToken(request.raw.rawHeaders), scope, payment, cost: 0 } as const;
    const verdict = await context.with(state.traceContext, () => this.admission.admit(question));
    if (verdict.state === 'unknown-key') {
      throw await this.failedAttempts.refusalFor({ address: state.address, arrivedMs: state.startedMs });
    }
    if (verdict.state === 'limited') return;
    state.admitted = verdict;
    state.admittedMs = this.clock.monotonic();
  }

  /** True when the body of a request took so long that its admission may hold no more. */
  isLongAgo({ state }: FastifyRequest): boolean {
    return this.clock.monotonic() - state.admittedMs > ADMISSION_HOLDS_MS;
  }

  private async authenticate(
    declaration: RouteDeclaration | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { state } = request;
    const { scope, payment, cost } = declaration?.access === 'key' ? declaration : UNKNOWN_ROUTE;
    const question = { key: bearerToken(request.raw.rawHeaders), scope, payment, cost };
    const verdict = await context.with(state.traceContext, () => this.admission.admit(question));
    if (verdict.state === 'unknown-key') {
      throw await this.failedAttempts.refusalFor({ address: state.address, arrivedMs: state.startedMs });
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
  const refusal = refusalOfBodyHeaders(headers, { use, bytesMax: bodyBytesMaxOf(declaration) });
  if (refusal) throw refusal;
  const ofRoute = declaration.access === 'public' ? declaration.refusalOfHeaders?.(headers) : null;
  if (ofRoute) throw ofRoute;
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
