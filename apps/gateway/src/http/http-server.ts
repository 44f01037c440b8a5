import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { context } from '@opentelemetry/api';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Log } from '@switchboard/platform';
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { KeyUses } from '../identity/key-use.contract.js';
import { LEGACY_DEPRECATION, legacyLocation } from './legacy/legacy-location.policy.js';
import { admitRequest, type AdmitParts } from './admit-request.js';
import { appHeaders, isAppPath } from './app-headers.policy.js';
import { answerBroken, refusalOfBroken } from './broken-request.js';
import { holdRefusal, parseKeyedBody } from './keyed-request.js';
import type { OpenRequests } from './open-requests.js';
import { closeIfUnread, refusalOfThrown, sendRefusal } from './refusal.js';
import { httpLimits, refusalOfHead } from './request-limits.policy.js';
import type { RequestMetrics } from './request-metrics.js';
import { beginTrace, endTrace, type SamplingDecision } from './request-trace.js';
import {
  applyDeclaration,
  bodyUseOf,
  isApiPath,
  type PublicRoute,
  type RouteDeclaration,
} from './route-declaration.js';
import { pathOf } from './route-table.js';

const SWEEP_INTERVAL_MS = 1_000;

/** What the HTTP server is made from. */
export interface HttpServerParts extends AdmitParts {
  readonly keyUses: KeyUses;
  readonly openRequests: OpenRequests;
  readonly metrics: RequestMetrics;
  readonly log: Log;
  readonly isSampled: SamplingDecision;
  /** For the request line and the headers. */
  readonly headersTimeoutMs: number;
  /** For all of a request, its body included. */
  readonly requestTimeoutMs: number;
  readonly trustProxy: false | string[];
}

/**
 * Fastify with everything that happens before and after a handler: limits, trace, redirect, admission, body, plan, log.
 *
 * The hooks are added before Nest's own, so that nothing of a framework can answer first.
 */
export function createHttpServer(parts: HttpServerParts): FastifyInstance {
  const server: FastifyInstance = fastify({
    bodyLimit: httpLimits.bodyBytesMax,
    requestTimeout: parts.requestTimeoutMs,
    return503OnClosing: false,
    trustProxy: parts.trustProxy,
    // Ids are checked by their own rule, which names the field.
    routerOptions: { maxParamLength: httpLimits.uriBytesMax },
    http: {
      headersTimeout: parts.headersTimeoutMs,
      requestTimeout: parts.requestTimeoutMs,
      connectionsCheckingInterval: 500,
      maxHeaderSize: httpLimits.parserBytesMax,
      // Node would answer without a body; `refusalOfHead` asks for it.
      requireHostHeader: false,
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void refuseUnrouted(parts, error, request, reply),
    clientErrorHandler: (error: Error, socket: Socket) => refuseBroken(parts, error, socket),
  });
  answerNodesOwnRefusals(server.server, parts);
  endWhatHangs(server, parts.openRequests);
  server.decorateRequest('edge');
  server.addHook('onRoute', (route) => {
    applyDeclaration(route);
    parts.routes.add(route);
  });
  server.addHook('onRequest', (request, reply, done) => {
    const refusal = begin(parts, request, reply);
    if (!reply.sent) done(refusal ?? undefined);
  });
  server.addHook('onRequest', (request, reply) => admitOrRefuse(parts, request, reply));
  server.addHook('preHandler', (request, _reply, done) => {
    context.with(request.edge.context, () => {
      const refusal = readInput(request);
      if (refusal === null) done();
      else done(refusal);
    });
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const { declaration } = request.routeOptions.config;
    const use = declaration ? bodyUseOf(declaration) : 'json';
    if (use !== 'json') return done(null, use === 'bytes' ? body : undefined);
    try {
      done(null, parseKeyedBody(request, body));
    } catch (error) {
      done(error instanceof Error ? error : new Error('parser failed', { cause: error }), undefined);
    }
  });
  return server;
}

/** What comes first with every request, whatever becomes of it. @returns what is wrong with its head, or null */
function begin(parts: HttpServerParts, request: FastifyRequest, reply: FastifyReply): AppError | null {
  request.edge = beginTrace(request, parts.isSampled);
  parts.openRequests.add(request, reply);
  reply.raw.once('close', () => end(parts, request, reply));
  reply.header('x-request-id', request.edge.traceId);
  reply.header('x-content-type-options', 'nosniff');
  const target = request.raw.url ?? '';
  const path = pathOf(target);
  if (isApiPath(path)) reply.header('cache-control', 'no-store');
  if (isAppPath(path)) reply.headers(appHeaders(path, parts.sessionCookie.isSecure(request)));
  const location = legacyLocation(target, parts.publicBaseUrl);
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
 * A refusal goes straight out: a flood of them must cost less than what it is kept from, and what is thrown here would go
 * through the framework's handling of exceptions.
 */
async function admitOrRefuse(parts: HttpServerParts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  try {
    return await admitRequest(parts, request, reply);
  } catch (thrown) {
    if (reply.sent) return reply;
    sendRefusal(request, reply, refusalOfThrown(thrown, parts.log, request.routeOptions.url ?? 'unmatched'));
    return reply;
  }
}

/** The end of every request: its span, its measure, its line in the log, and the use of its key. */
function end(
  { openRequests, keyUses, metrics, log }: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { edge } = request;
  openRequests.remove(reply);
  // A client that went away before its answer got none: 499, as proxies write it.
  const status = reply.raw.writableFinished ? reply.raw.statusCode : 499;
  if (edge.admitted && status >= 200 && status < 300) keyUses.record(edge.admitted.keyId, request.ip);
  endTrace(edge, status);
  const { method } = request;
  const { code } = edge;
  const route = (request.is404 ? undefined : request.routeOptions.url) ?? 'unmatched';
  const durationMs = performance.now() - edge.startedMs;
  metrics.ended({ method, route, status, durationMs, code });
  log.info('http.request', {
    traceId: edge.traceId,
    method,
    route,
    status,
    code,
    durationMs: Math.round(durationMs * 10) / 10,
    organizationId: edge.organizationId,
    keyId: edge.keyId,
    userId: edge.session?.user.id,
  });
}

/** Shape first, then the plan; a replay before both. Source: docs/api-behaviour.md#errors-order. */
function readInput(request: FastifyRequest): Error | null {
  const { declaration } = request.routeOptions.config;
  if (!declaration || declaration.access === 'public') return null;
  return holdRefusal(request, refusalOfInput(request, declaration));
}

function refusalOfInput(request: FastifyRequest, declaration: Exclude<RouteDeclaration, PublicRoute>): Error | null {
  try {
    request.edge.input = declaration.input?.(request);
  } catch (error) {
    return error instanceof Error ? error : new Error('input failed', { cause: error });
  }
  const refusal = request.edge.admitted?.paymentRefusal ?? null;
  return refusal === null ? null : new AppError(gatewayErrors.PAYMENT_REQUIRED, refusal);
}

/** A target that the router cannot read never reaches a hook: it goes the same way by hand. */
async function refuseUnrouted(
  parts: HttpServerParts,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  let refusal = begin(parts, request, reply);
  if (reply.sent) return;
  try {
    // At its end it finds that there is no such route; a missing key and a used-up rate come before that.
    if (!refusal) await admitRequest(parts, request, reply);
  } catch (thrown) {
    refusal = refusalOfThrown(thrown, parts.log, 'unmatched');
  }
  const isUnknown = refusal?.status === 404 || refusal?.status === 405;
  reply.removeHeader('allow');
  sendRefusal(request, reply, refusal && !isUnknown ? refusal : refusalOfThrown(error, parts.log, 'unmatched'));
}

/** What the parser or its timers refused: an answer to the request under way on that connection, or to none. */
function refuseBroken(parts: HttpServerParts, error: Error, socket: Socket): void {
  if ('code' in error && error.code === 'ECONNRESET') return void socket.destroy();
  const refusal = refusalOfBroken(error);
  const open = parts.openRequests.on(socket);
  if (!open) return answerBroken(socket, refusal, parts);
  if (open.request.raw.complete) {
    // The answer to the good request goes first; what follows it on the connection is refused after.
    open.reply.raw.once('close', () => answerBroken(socket, refusal, parts));
  } else if (open.reply.sent) {
    socket.destroy();
  } else {
    open.reply.header('connection', 'close');
    sendRefusal(open.request, open.reply, refusal);
  }
}

/** One timer for all requests: one for each, as Fastify has it, costs every request 2 µs for what never happens. */
function endWhatHangs(server: FastifyInstance, openRequests: OpenRequests): void {
  const timer = setInterval(() => {
    for (const { request, reply } of openRequests.olderThan(httpLimits.handlerTimeoutMs)) {
      if (!reply.sent) sendRefusal(request, reply, new AppError(gatewayErrors.SERVICE_UNAVAILABLE));
    }
  }, SWEEP_INTERVAL_MS).unref();
  server.addHook('onClose', async () => clearInterval(timer));
}

/** Cases that Node answers by itself without a body, or not at all. */
function answerNodesOwnRefusals(server: Server, parts: HttpServerParts): void {
  // RFC 9110, 10.1.1: an expectation that is not known may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => {
    // It names a host and no path: what is allowed is what any path of ours answers.
    const allow = `Allow: ${parts.routes.methods.join(', ')}`;
    answerBroken(socket, new AppError(gatewayErrors.METHOD_NOT_ALLOWED), parts, [allow]);
  });
  // Others are cut off in silence; the bytes of all headers are counted anyway.
  server.maxHeadersCount = 0;
}
