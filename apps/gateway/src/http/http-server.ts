import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import { trustOf } from '../network/trusted-proxies.policy.js';
import { httpLimits } from './request-limits.policy.js';
import type { RequestLifecycle } from './request-lifecycle.js';
import type { UnparsedRequests } from './unparsed-requests.js';

/** What Fastify needs of the container, which is built around it. */
export interface HttpServerParts {
  readonly lifecycle: RequestLifecycle;
  readonly unparsed: UnparsedRequests;
}

/**
 * Makes the HTTP server of the gateway: its limits, and what it does with requests that never reach a hook.
 *
 * @param config timeouts and trusted proxies
 * @param parts of the Nest container; read when the first such request comes
 */
export function createHttpServer(
  config: Pick<GatewayConfig, 'GATEWAY_HEADERS_TIMEOUT_MS' | 'GATEWAY_REQUEST_TIMEOUT_MS' | 'TRUST_PROXY'>,
  parts: () => HttpServerParts,
): FastifyInstance {
  const server: FastifyInstance = fastify({
    bodyLimit: httpLimits.bodyBytesMax,
    requestTimeout: config.GATEWAY_REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    trustProxy: trustOf(config.TRUST_PROXY),
    // Ids have a rule of their own, which names the field.
    routerOptions: { maxParamLength: httpLimits.uriBytesMax },
    http: {
      headersTimeout: config.GATEWAY_HEADERS_TIMEOUT_MS,
      requestTimeout: config.GATEWAY_REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 500,
      maxHeaderSize: httpLimits.parserBytesMax,
      highWaterMark: httpLimits.unreadBytesMax,
      // Node would answer without a body; `refusalOfHead` asks for it.
      requireHostHeader: false,
    },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void parts().lifecycle.refuseUnrouted(error, request, reply),
    clientErrorHandler: (error: Error, socket: Socket) => parts().unparsed.refuse(error, socket),
  });
  answerNodesOwnRefusals(server.server, () => parts().unparsed);
  return server;
}

/** Cases that Node answers by itself without a body, or not at all. */
function answerNodesOwnRefusals(server: Server, unparsed: () => UnparsedRequests): void {
  // RFC 9110, 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => unparsed().refuseConnect(socket));
  // Others are cut off in silence; the bytes of all headers are counted anyway.
  server.maxHeadersCount = 0;
}
