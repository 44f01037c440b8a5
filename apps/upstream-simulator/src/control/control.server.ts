import { createServer, type RequestListener } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { KEEP_ALIVE_TIMEOUT_MS } from '../contract/provider-listener.js';
import type { controlGuard } from './control-guard.js';
import { ControlRefusal } from './control-refusal.js';

const CONTROL_PREFIX = '/_sim/';
/** A callback of the provider has up to 3 MB, and control requests carry them. */
const BODY_BYTES_MAX = 4 << 20;

/**
 * The main door: `/_sim/…` goes to the routes of the instance, every other path to the provider's contract without
 * passing through the framework. Refusals of its fields are 400 with `{ error: { field, message } }`.
 *
 * @param guard judges every request to `/_sim/` before its body is read
 */
export function controlServer(contract: RequestListener, guard: ReturnType<typeof controlGuard>): FastifyInstance {
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    serverFactory: (control) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
        if (request.url?.startsWith(CONTROL_PREFIX)) control(request, response);
        else contract(request, response);
      }),
  });
  app.addHook('onRequest', async (request, reply) => {
    const refusal = guard(request.raw);
    if (!refusal) return;
    await reply.code(refusal.status).send({ error: { field: null, message: refusal.message } });
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, text: string) => {
    if (text === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new ControlRefusal('body', 'must be JSON');
    }
  });
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (error instanceof ControlRefusal) {
      return reply.code(400).send({ error: { field: error.field, message: error.message } });
    }
    return reply.code(error.statusCode ?? 500).send({ error: { field: null, message: error.message } });
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: { field: null, message: `there is no ${request.method} ${request.url}` } }),
  );
  return app;
}
