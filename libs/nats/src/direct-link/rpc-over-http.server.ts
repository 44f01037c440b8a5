import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headers as natsHeaders } from '@nats-io/transport-node';
import { DEADLINE_HEADER } from '../budget.js';
import { CALL_HEADER } from '../rpc-call-id.js';
import { PARTS_HEADER } from '../rpc-parts.js';
import type { RpcServerStrategy } from '../rpc-server.strategy.js';
import { callersOf, callerToken } from './announcement.js';

/** Where a process takes rpcs on its internal HTTP server; the subject follows. */
export const RPC_PATH = '/rpc/';

/** As much as a message of NATS holds. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Takes rpcs over HTTP, for the time when NATS is away: the same handlers, bounds and answers.
 *
 * 401 without the token of an announcement, 403 for a subject that this caller may not ask, 413 for a body over 1 MiB,
 * 503 when the service takes nothing: in each case nothing happened. 200 carries what would go over NATS.
 */
export class RpcOverHttpServer {
  private readonly callers: readonly { readonly digest: Buffer; readonly subjects: ReadonlySet<string> }[];

  constructor(
    private readonly strategy: RpcServerStrategy,
    spec: { readonly service: string; readonly secret: string },
  ) {
    this.callers = [...callersOf(spec.service)].map(([caller, subjects]) => ({
      digest: digestOf(callerToken(spec.secret, spec.service, caller)),
      subjects,
    }));
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [status, text] = await this.answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    } catch {
      // The connection broke while the body was read: there is no caller to answer.
      response.destroy();
    }
  }

  private async answer(request: IncomingMessage): Promise<[number, string]> {
    const subject = (request.url ?? '').slice(RPC_PATH.length);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const digest = digestOf(token);
    const caller = this.callers.find((known) => timingSafeEqual(known.digest, digest));
    if (!caller) return [401, '{}'];
    if (request.method !== 'POST' || !caller.subjects.has(subject)) return [403, '{}'];
    const body = await readBounded(request);
    if (body === null) return [413, '{}'];
    const carrier = natsHeaders();
    for (const name of ['traceparent', 'tracestate', DEADLINE_HEADER, PARTS_HEADER, CALL_HEADER]) {
      const value = request.headers[name.toLowerCase()];
      if (typeof value === 'string') carrier.set(name, value);
    }
    const text = await this.strategy.answerDirectly(subject, carrier, body);
    return text === null ? [503, '{}'] : [200, text];
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

async function readBounded(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a body is read as bytes');
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
