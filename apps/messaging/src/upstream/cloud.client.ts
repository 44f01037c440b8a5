import { types } from 'node:util';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { Pool } from 'undici';
import { outcomeOfError, type CloudError } from './cloud-errors.policy.js';
import { Upstream, type UpstreamOutcome, type UpstreamText } from './upstream.js';

/** Where the provider's API is, and how much of it we use at once. */
export interface CloudOptions {
  /** `https://host[:port]` without a path. */
  readonly baseUrl: string;
  /** Path segment, for example `v23.0`. */
  readonly version: string;
  readonly connectionsMax: number;
  /** Milliseconds after which a request that is still unanswered is given up as unknown. */
  readonly requestDeadlineMs: number;
}

const ANSWER_BYTES_MAX = 64 * 1024;
const tracer = trace.getTracer('@switchboard/messaging');

/** The WhatsApp Business Cloud API. Source: provider's "Messages" reference, v23.0 to v25.0. */
export class CloudClient extends Upstream {
  private readonly pool: Pool;
  private open = 0;

  constructor(private readonly options: CloudOptions) {
    super();
    this.pool = new Pool(options.baseUrl, {
      connections: options.connectionsMax,
      connect: { timeout: 3_000 },
      // Below any server's own limit, so that a request never meets a connection that is being closed.
      keepAliveTimeout: 4_000,
      // One deadline for all of a request is ours (`request`); these would add up, and begin again with every chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async sendText(text: UpstreamText, signal: AbortSignal): Promise<UpstreamOutcome> {
    const span = tracer.startSpan('POST /{version}/{phone-number-id}/messages', {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': 'POST', 'switchboard.message.id': text.reference },
    });
    const outcome = await context.with(trace.setSpan(context.active(), span), () => this.request(text, signal));
    span.setAttribute('switchboard.upstream.outcome', outcome.state);
    if (outcome.state === 'unknown') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return outcome;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  /** Nothing waits for a connection: a request that would leave later than its mark allows is not taken instead. */
  private async request(text: UpstreamText, signal: AbortSignal): Promise<UpstreamOutcome> {
    if (signal.aborted) return notTaken('the service is stopping');
    if (this.open >= this.options.connectionsMax) return notTaken('all connections to the upstream are in use');
    this.open++;
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort();
    const timer = setTimeout(giveUp, this.options.requestDeadlineMs);
    signal.addEventListener('abort', giveUp);
    try {
      const answer = await this.pool.request({
        method: 'POST',
        path: `/${this.options.version}/${encodeURIComponent(text.phoneNumberId)}/messages`,
        headers: { authorization: `Bearer ${text.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(wireText(text)),
        signal: deadline.signal,
      });
      const body = await readBounded(answer.body);
      return outcomeOfAnswer(answer.statusCode, body);
    } catch (error) {
      return outcomeOfFailure(error);
    } finally {
      this.open--;
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }
}

function wireText(text: UpstreamText): unknown {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: text.to,
    type: 'text',
    text: { preview_url: false, body: text.text },
    biz_opaque_callback_data: text.reference,
  };
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is larger than 64 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface SendAnswer {
  readonly contacts?: readonly { readonly wa_id?: string }[];
  readonly messages?: readonly { readonly id?: string }[];
  readonly error?: CloudError;
}

function outcomeOfAnswer(httpStatus: number, body: string): UpstreamOutcome {
  const answer = parse(body);
  if (typeof answer?.error?.code === 'number') return outcomeOfError(answer.error, httpStatus);
  const upstreamMessageId = answer?.messages?.[0]?.id;
  if (httpStatus < 300 && typeof upstreamMessageId === 'string') {
    return { state: 'accepted', upstreamMessageId, messagingId: answer?.contacts?.[0]?.wa_id ?? null };
  }
  if (httpStatus === 429) {
    return { state: 'not-taken', code: '429', message: 'too many requests', retry: 'normal' };
  }
  if (httpStatus === 401) {
    return { state: 'refused', kind: 'disconnected', code: '401', message: 'the access token was refused' };
  }
  if (httpStatus >= 400 && httpStatus < 500) {
    return { state: 'refused', kind: 'rejected', code: String(httpStatus), message: 'refused without details' };
  }
  return { state: 'unknown', reason: `HTTP ${httpStatus} without a readable answer` };
}

function parse(body: string): SendAnswer | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' ? value : null;
  } catch {
    // Not JSON: the caller decides by the HTTP status alone.
    return null;
  }
}

function outcomeOfFailure(error: unknown): UpstreamOutcome {
  const code = codeOf(error);
  return neverLeft(error) ? notTaken(`no connection (${code})`) : { state: 'unknown', reason: `no answer (${code})` };
}

function notTaken(message: string): UpstreamOutcome {
  return { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', message, retry: 'normal' };
}

/**
 * Whether a connection was never made, so that the request cannot have left. Decided by where it failed, not by the code
 * alone: EHOSTUNREACH and others also end connections over which a request was delivered.
 */
function neverLeft(error: unknown): boolean {
  // Not `instanceof`: Node's own errors come from another realm wherever this code runs in a context of its own (Jest).
  if (!types.isNativeError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.length > 0 && error.errors.every(neverLeft);
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') return true;
  const syscall = 'syscall' in error ? error.syscall : undefined;
  return syscall === 'connect' || syscall === 'getaddrinfo' || isFailedHandshake(error);
}

/** TLS that was not established: nothing of the request was written. Source: `tls.connect` of Node.js. */
function isFailedHandshake(error: Error): boolean {
  const isCut = /before secure TLS connection was established/.test(error.message);
  return isCut || /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return types.isNativeError(error) && 'code' in error ? String(error.code) : 'no code';
}
