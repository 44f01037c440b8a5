import type { IncomingHttpHeaders } from 'node:http';
import { context } from '@opentelemetry/api';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { LOG, type Log } from '@switchboard/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { forwardedAddresses } from '../network/network.policy.js';
import { KEY_USES, type KeyUses } from '../identity/key-use.contract.js';
import { AdmitRequest, STREAMED_TYPE } from './admit-request.js';
import { appHeaders, HSTS, isAppPath } from './app-headers.policy.js';
import { BodyBudget } from './body-budget.js';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import { deferRefusal, parseIdempotentBody } from './idempotent-request.js';
import { parseJsonBody } from './json-body.policy.js';
import { LEGACY_DEPRECATION, legacyLocation } from './legacy/legacy-location.policy.js';
import { OpenRequests } from './open-requests.js';
import { closeIfUnread, refusalOfThrown, sendRefusal } from './refusal.js';
import { MalformedRequestLimit } from './malformed-request-limit.js';
import { RequestCounts } from './request-counts.js';
import { readInput } from './request-input.js';
import { refusalOfHead } from './request-limits.policy.js';
import { RequestMetrics } from './request-metrics.js';
import { beginTrace, endTrace } from './request-trace.js';
import { bodyUseOf, isApiPath } from './route-declaration.js';
import { SessionCookie } from './session/session-cookie.js';
import { readWholeBody } from './whole-body.js';

/**
 * What happens to a request before and after its handler, in this order: trace, redirect of the legacy base, head, admission,
 * body, input, plan; then the handler; then span, metrics, log line and the use of the key.
 */
@Injectable()
export class RequestLifecycle {
  constructor(
    private readonly admitRequest: AdmitRequest,
    private readonly sessionCookie: SessionCookie,
    private readonly openRequests: OpenRequests,
    private readonly metrics: RequestMetrics,
    private readonly counts: RequestCounts,
    private readonly bodyBudget: BodyBudget,
    private readonly malformedRequests: MalformedRequestLimit,
    @Inject(KEY_USES) private readonly keyUses: KeyUses,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_BASE_URL' | 'TRUST_PROXY'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Adds the hooks. Called before Nest adds its own, so that no framework answers before them. */
  addTo(server: FastifyInstance): void {
    server.decorateRequest('state');
    server.addHook('onRequest', (request, reply, done) => {
      const refusal = this.begin(request, reply);
      if (!reply.sent) done(refusal ?? undefined);
    });
    server.addHook('onRequest', (request, reply) => this.admit(request, reply));
    server.addHook('preHandler', (request, _reply, done) => {
      const proceed = (): void => {
        context.with(request.state.traceContext, () => {
          const refusal = deferRefusal(request, validate(request));
          if (refusal === null) done();
          else done(refusal);
        });
      };
      // Nearly every body is there at once: those pay for no promise.
      if (!this.admitRequest.isLongAgo(request)) proceed();
      else this.admitRequest.admitAgain(request).then(proceed, done);
    });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(STREAMED_TYPE, (_request, stream, done) => done(null, stream));
    server.addContentTypeParser('*', (request, stream, done) => {
      const share = this.bodyBudget.shareOf(request);
      const stop = readWholeBody(stream, { bytesMax: request.routeOptions.bodyLimit, share }, (refusal, bytes) => {
        share.release();
        try {
          if (bytes) done(null, parseBody(request, bytes));
          else done(refusal);
        } catch (error) {
          done(error instanceof Error ? error : new Error('parser failed', { cause: error }), undefined);
        }
      });
      request.state.giveBodyUp = () => {
        stop();
        share.release();
      };
    });
  }

  /** Begins every request. @returns what is wrong with its head, or null */
  begin(request: FastifyRequest, reply: FastifyReply): AppError | null {
    if (this.config.TRUST_PROXY !== false) cutForwardedPorts(request.raw.headers);
    request.state = beginTrace(request);
    this.openRequests.add(request, reply);
    reply.raw.once('close', () => this.end(request, reply));
    reply.header('x-request-id', request.state.traceId);
    reply.header('x-content-type-options', 'nosniff');
    const target = request.raw.url ?? '';
    const { path } = request.state;
    if (this.sessionCookie.isSecure(request)) reply.header('strict-transport-security', HSTS);
    if (isApiPath(path)) reply.header('cache-control', 'no-store');
    if (isAppPath(path)) reply.headers(appHeaders(path));
    const location = legacyLocation(target, this.config.PUBLIC_BASE_URL);
    if (location !== null) {
      reply.header('location', location).header('deprecation', LEGACY_DEPRECATION);
      closeIfUnread(request, reply);
      reply.header('link', `<${location}>; rel="successor-version"`).code(308).send();
      return null;
    }
    const { rawHeaders, httpVersion } = request.raw;
    return refusalOfHead({ url: target, rawHeaders, httpVersion });
  }

  /**
   * Admits a request, or answers its refusal at once: thrown, it would go through the framework's handling of exceptions, and
   * a flood of refusals must cost less than the requests that it replaces.
   */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    try {
      return await this.admitRequest.admit(request, reply);
    } catch (thrown) {
      if (reply.sent) return reply;
      sendRefusal(request, reply, refusalOfThrown(thrown, this.log, request.routeOptions.url ?? 'unmatched'));
      return reply;
    }
  }

  /** Answers a request whose target the router cannot read: no hook runs for it, so that they are called here. */
  async refuseUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    let refusal = this.begin(request, reply);
    if (reply.sent) return;
    try {
      // Refuses a missing key and a used-up rate first; at its end it finds no route.
      if (!refusal) await this.admitRequest.admit(request, reply);
    } catch (thrown) {
      refusal = refusalOfThrown(thrown, this.log, 'unmatched');
    }
    const isUnknown = refusal?.status === 404 || refusal?.status === 405;
    reply.removeHeader('allow');
    sendRefusal(request, reply, refusal && !isUnknown ? refusal : refusalOfThrown(error, this.log, 'unmatched'));
  }

  /** Ends every request: its span, its measure, its line in the log, and the use of its key. */
  private end(request: FastifyRequest, reply: FastifyReply): void {
    const { state, method } = request;
    this.openRequests.remove(reply);
    // It may have been answered before its body ended.
    state.giveBodyUp?.();
    // 499, as proxies write it: the client closed the connection before its answer.
    const isAnswered = reply.raw.writableFinished || state.answeredMs !== null;
    const status = isAnswered ? reply.raw.statusCode : 499;
    if (state.admitted && status >= 200 && status < 300) this.keyUses.record(state.admitted.keyId, state.address);
    if (isOfVisitor(request)) this.malformedRequests.note(state.address, status);
    endTrace(state, status);
    const { code, traceId, organizationId, keyId } = state;
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? 'unmatched';
    const durationMs = (state.answeredMs ?? performance.now()) - state.startedMs;
    this.metrics.ended({ method, route, status, durationMs, code });
    if (organizationId !== null && keyId !== null) this.counts.count({ organizationId, method, route, status });
    this.log.info('http.request', {
      traceId,
      method,
      route,
      status,
      code,
      durationMs: Math.round(durationMs * 10) / 10,
      organizationId,
      keyId,
      userId: state.session?.user.id,
    });
  }
}

/** The body as JSON, as bytes, or undefined, as the route declares it. @throws AppError as `parseJsonBody` */
function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const { declaration } = request.routeOptions.config;
  const use = declaration ? bodyUseOf(declaration) : 'json';
  if (use !== 'json') return use === 'bytes' ? bytes : undefined;
  const access = declaration?.access;
  const isIdempotent = (access === 'key' || access === 'session') && declaration?.takesIdempotencyKey === true;
  const hasKey = isIdempotent && request.headers['idempotency-key'] !== undefined;
  return hasKey ? parseIdempotentBody(request, bytes) : parseJsonBody(bytes);
}

/** Puts the validated query and body in their places. @returns why the input or the plan is refused, or null */
function validate(request: FastifyRequest): Error | null {
  const { config, url } = request.routeOptions;
  const { declaration } = config;
  if (!declaration || declaration.access === 'public') return null;
  try {
    const isStreamed = bodyUseOf(declaration) === 'stream';
    const docs = isStreamed ? { ...declaration.docs, body: undefined } : declaration.docs;
    const input = readInput(url ?? '', docs, request, request.raw.url ?? '');
    request.query = input.query;
    if (!isStreamed) request.body = input.body;
    else if (request.headers['idempotency-key'] !== undefined) readIdempotencyKey(request.raw.rawHeaders);
  } catch (error) {
    return error instanceof Error ? error : new Error('input failed', { cause: error });
  }
  const { admitted, paid } = request.state;
  const refusal = admitted?.paymentRefusal ?? paid?.refusal ?? null;
  return refusal === null ? null : new AppError(serviceErrors.PAYMENT_REQUIRED, refusal);
}

/** Fastify takes the client's address from the header as it is, with whatever a proxy wrote next to it. */
function cutForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return;
  const addresses = forwardedAddresses(String(forwarded));
  if (addresses === '') delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = addresses;
}

function isOfVisitor(request: FastifyRequest): boolean {
  return !request.is404 && request.routeOptions.config.declaration?.access === 'visitor';
}
