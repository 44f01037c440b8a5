import { types } from 'node:util';
import type { RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import { Agent } from 'undici';
import type { RpcEnvelope, RpcWay } from '../rpc-over-nats.js';
import { LinkLost, RpcUnanswered } from '../rpc-unanswered.js';
import type { Announcement } from './announcement.js';
import type { Directory } from './directory.js';
import { RPC_PATH } from './rpc-over-http.server.js';

const CONNECT_TIMEOUT_MS = 1_000;

/** Asks a process of a service over HTTP, at the address that it announced; the next one when it cannot be reached. */
export class RpcOverHttp implements RpcWay {
  private readonly agent = new Agent({
    connections: 64,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: 4_000,
    // One deadline for all of a request is ours.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  constructor(protected readonly directory: Directory) {}

  async ask(envelope: RpcEnvelope, deadlineMs: number): Promise<RpcReply<unknown>> {
    const { subject, owner } = envelope.rpc;
    const signal = AbortSignal.timeout(deadlineMs);
    let cause: unknown = new Error(`no process of ${owner} was ever heard of`);
    for (const address of this.directory.addresses(owner)) {
      try {
        return await this.askOne(address, envelope, signal);
      } catch (error) {
        cause = error;
        if (!(error instanceof NotTaken) && !isNeverConnected(error)) {
          // A connection that broke says nothing of the service: it may be asked again.
          throw new RpcUnanswered(subject, 'unknown', signal.aborted ? error : new LinkLost({ cause: error }));
        }
      }
    }
    throw new RpcUnanswered(subject, 'none', cause);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async askOne(
    { url, token }: Announcement,
    { rpc, payload, headers }: RpcEnvelope,
    signal: AbortSignal,
  ): Promise<RpcReply<unknown>> {
    const carried = headers.keys().map((name) => [name.toLowerCase(), headers.get(name)] as const);
    const answer = await this.agent.request({
      origin: url,
      path: RPC_PATH + rpc.subject,
      method: 'POST',
      headers: { ...Object.fromEntries(carried), authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: payload,
      signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new NotTaken(answer.statusCode);
    return JSON.parse(text) as RpcReply<unknown>;
  }
}

/** Another status than 200: the request was turned away before any handler saw it. */
class NotTaken extends Error {
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.name = 'NotTaken';
  }
}

/** Decided by where it failed: only a connection that was never made has carried nothing. */
function isNeverConnected(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || ('syscall' in error && error.syscall === 'connect');
}
