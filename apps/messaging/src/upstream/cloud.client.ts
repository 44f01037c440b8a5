import type { LookupFunction } from 'node:net';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { isUpstreamId } from '@switchboard/contracts/grammar/upstream-id';
import { systemClock, type Clock } from '@switchboard/platform';
import { Pool } from 'undici';
import { outcomeOfError, TOKEN_REFUSED, type CloudError } from './cloud-errors.policy.js';
import { ConnectionShares } from './connection-shares.js';
import { wireTemplate, wireText } from './cloud-message.policy.js';
import { readLine } from './line.client.js';
import type { LineOutcome, LineRequest } from './line.js';
import { oneLookup } from './one-lookup.js';
import { requestOnce } from './single-request.client.js';
import { readTemplatePage } from './template-list.client.js';
import type { TemplateListOutcome, TemplateListRequest } from './template-list.js';
import {
  Upstream,
  type SendLimits,
  type UpstreamMessage,
  type UpstreamOutcome,
  type UpstreamTemplateMessage,
  type UpstreamText,
} from './upstream.js';

/** Where the provider's API is, and how much of it we use at once. */
export interface CloudOptions {
  /** `https://host[:port]` without a path. */
  readonly baseUrl: string;
  /** Path segment, for example `v23.0`. */
  readonly version: string;
  readonly connectionsMax: number;
  /** Milliseconds after which a request that is still unanswered is given up as unknown. */
  readonly requestDeadlineMs: number;
  /** PEM of the authorities to trust instead of Node's; empty: Node's. */
  readonly authorities?: string;
  /** Of the provider's name; default: the system's. */
  readonly lookup?: LookupFunction;
}

/** No request waits longer for a connection (see `SendLimits`). */
const CONNECT_TIMEOUT_MS = 2_000;
const NOT_TAKEN = { state: 'not-taken', code: 'UPSTREAM_UNREACHABLE', retry: 'not-begun' } as const;
const tracer = trace.getTracer('@switchboard/messaging');

/** The WhatsApp Business Cloud API. Source: provider's "Messages" reference, v23.0 to v25.0. */
export class CloudClient extends Upstream {
  private readonly pool: Pool;
  private readonly shares: ConnectionShares;

  constructor(
    private readonly options: CloudOptions,
    private readonly clock: Clock = systemClock,
  ) {
    super();
    this.shares = new ConnectionShares(options.connectionsMax);
    this.pool = new Pool(options.baseUrl, {
      connections: options.connectionsMax,
      connect: {
        timeout: CONNECT_TIMEOUT_MS,
        // Explicit: an environment variable must not switch it off, and hand out the customers' tokens.
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        lookup: oneLookup(options.lookup),
        ...(options.authorities ? { ca: options.authorities } : {}),
      },
      // One request a connection at a time: over HTTP/2 a GOAWAY ends many at once, and nothing here says which of them
      // the provider had taken. Source: docs/adr/0031-http-1-1-to-the-provider.md.
      allowH2: false,
      // Below any server's own limit, so that a request hardly ever meets a connection that is being closed: when it
      // does, whether it was taken is unknown. What has been closed already is seen before it is used again.
      keepAliveTimeout: 4_000,
    });
  }

  sendText(text: UpstreamText, limits: SendLimits): Promise<UpstreamOutcome> {
    return this.send(text, wireText(text), limits);
  }

  sendTemplate(template: UpstreamTemplateMessage, limits: SendLimits): Promise<UpstreamOutcome> {
    return this.send(template, wireTemplate(template), limits);
  }

  /** Takes a connection of the organization's share, as its sends do. */
  async listTemplates(request: TemplateListRequest): Promise<TemplateListOutcome> {
    const { organizationId } = request;
    if (!this.shares.take(organizationId)) return { state: 'unavailable', reason: 'no connection is free' };
    return readTemplatePage(this.pool, this.options.version, request, this.clock).finally(() =>
      this.shares.release(organizationId),
    );
  }

  /** As `listTemplates`. */
  async findLine(request: LineRequest): Promise<LineOutcome> {
    const { organizationId } = request;
    if (!this.shares.take(organizationId)) return { state: 'unavailable', reason: 'no connection is free' };
    return readLine(this.pool, this.options.version, request).finally(() => this.shares.release(organizationId));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async send(message: UpstreamMessage, body: object, limits: SendLimits): Promise<UpstreamOutcome> {
    const span = tracer.startSpan('POST /{version}/{phone-number-id}/messages', {
      kind: SpanKind.CLIENT,
      attributes: { 'http.request.method': 'POST', 'switchboard.message.id': message.reference },
    });
    const outcome = await context.with(trace.setSpan(context.active(), span), () =>
      this.request(message, body, limits),
    );
    span.setAttribute('switchboard.upstream.outcome', outcome.state);
    if (outcome.state === 'unknown') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return outcome;
  }

  /** Nothing waits for a connection that is in use: a send that is refused one is not taken, and is repeated later. */
  private async request(message: UpstreamMessage, body: object, limits: SendLimits): Promise<UpstreamOutcome> {
    if (!this.shares.take(message.organizationId, message.isBackground)) {
      return { ...NOT_TAKEN, message: "the organization's connections to the upstream are in use", isShareFull: true };
    }
    const request = {
      path: `/${this.options.version}/${encodeURIComponent(message.phoneNumberId)}/messages`,
      headers: { authorization: `Bearer ${message.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      deadlineMs: this.options.requestDeadlineMs,
      ...limits,
    };
    const end = await requestOnce(this.pool, request, this.clock).finally(() =>
      this.shares.release(message.organizationId),
    );
    if (end.state === 'answered') return outcomeOfAnswer(end.status, end.body);
    return end.began
      ? { state: 'unknown', reason: `no answer (${end.reason})` }
      : { ...NOT_TAKEN, message: `not sent (${end.reason})` };
  }
}

interface SendAnswer {
  readonly contacts?: readonly { readonly wa_id?: unknown }[];
  readonly messages?: readonly { readonly id?: unknown }[];
  readonly error?: CloudError;
}

function outcomeOfAnswer(httpStatus: number, body: string): UpstreamOutcome {
  const answer = parse(body);
  if (typeof answer?.error?.code === 'number') return outcomeOfError(answer.error, httpStatus);
  const upstreamMessageId = answer?.messages?.[0]?.id;
  // What cannot be an id is none: it could not be stored, or no callback would name it, and ours carry our reference.
  if (httpStatus < 300 && isUpstreamId(upstreamMessageId)) {
    const messagingId = answer?.contacts?.[0]?.wa_id;
    return { state: 'accepted', upstreamMessageId, messagingId: isUpstreamId(messagingId) ? messagingId : null };
  }
  // 408: the server closes a connection on which no whole request came. Source: RFC 9110, 15.5.9.
  if (httpStatus === 429 || httpStatus === 408) {
    const limit = httpStatus === 429 ? ({ limit: 'throughput' } as const) : {};
    return { state: 'not-taken', code: String(httpStatus), message: 'not taken in', retry: 'normal', ...limit };
  }
  if (httpStatus === 401) return { state: 'refused', ...TOKEN_REFUSED };
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
