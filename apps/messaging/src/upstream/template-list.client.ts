import type { UpstreamTemplate } from '@switchboard/contracts/messaging/template-rpc';
import type { Clock } from '@switchboard/platform';
import type { Dispatcher } from 'undici';
import { outcomeOfError, TOKEN_REFUSED, type CloudError } from './cloud-errors.policy.js';
import type { TemplateListOutcome, TemplateListRequest } from './template-list.js';

/** For one page; the provider answers a send in less. */
const DEADLINE_MS = 5_000;
/** A page of 50 templates has some 100 KB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads one page of `GET /{version}/{waba-id}/message_templates`; never throws.
 *
 * `paging.next` is an address of the provider's choice. Only its cursor is taken: the token goes nowhere but to the host that
 * was configured.
 *
 * Source: provider's "Template list" reference, v23.0 to v25.0.
 */
export async function readTemplatePage(
  dispatcher: Dispatcher,
  version: string,
  request: TemplateListRequest,
  clock: Clock,
): Promise<TemplateListOutcome> {
  const { businessAccountId, accessToken, after, limit, signal } = request;
  const query = new URLSearchParams({ limit: String(limit), ...(after === null ? {} : { after }) });
  const startedMs = clock.monotonic();
  try {
    const answer = await dispatcher.request({
      method: 'GET',
      path: `/${version}/${encodeURIComponent(businessAccountId)}/message_templates?${query.toString()}`,
      headers: { authorization: `Bearer ${accessToken}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    const body = await textOf(answer.body);
    const clockMs = dateOf(answer.headers['date']) ?? clock.now();
    const asOfMs = clockMs - (clock.monotonic() - startedMs);
    return outcomeOf(answer.statusCode, body, asOfMs);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { state: 'unavailable', reason };
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is larger than 4 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The upstream's clock, to the second below: a list never counts as newer than it is. */
function dateOf(header: string | string[] | undefined): number | null {
  const ms = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function outcomeOf(status: number, body: string, asOfMs: number): TemplateListOutcome {
  const answer = objectOf(parse(body));
  const error = objectOf(answer?.['error']);
  if (typeof error?.['code'] === 'number') return refusalOf(error as unknown as CloudError, status);
  if (status === 401) return { state: 'refused', ...TOKEN_REFUSED };
  if (status === 429 || status >= 500 || !Array.isArray(answer?.['data'])) {
    return { state: 'unavailable', reason: `HTTP ${status} without a readable list` };
  }
  const templates = answer['data'].flatMap((item: unknown) => templateOf(item) ?? []);
  return {
    state: 'listed',
    templates,
    next: nextOf(objectOf(answer['paging'])),
    asOfMs,
    bytes: Buffer.byteLength(body),
  };
}

function refusalOf(error: CloudError, httpStatus: number): TemplateListOutcome {
  const outcome = outcomeOfError(error, httpStatus);
  if (outcome.state === 'refused' && outcome.kind !== 'opted-out') {
    const kind = outcome.kind === 'disconnected' ? 'disconnected' : 'rejected';
    return { state: 'refused', kind, code: outcome.code, message: outcome.message };
  }
  return { state: 'unavailable', reason: `upstream error ${error.code}` };
}

/** Null for what cannot be named, and so cannot be sent. */
function templateOf(item: unknown): UpstreamTemplate | null {
  const template = objectOf(item);
  const id = textIn(template, 'id', 100);
  const name = textIn(template, 'name', 600);
  const language = textIn(template, 'language', 30);
  const status = textIn(template, 'status', 100);
  if (!template || !id || !name || !language || !status) return null;
  const components: readonly unknown[] = Array.isArray(template['components']) ? template['components'] : [];
  return {
    id,
    name,
    language,
    status,
    category: textIn(template, 'category', 100) ?? '',
    parameterFormat: template['parameter_format'] === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    components: components.map(objectOf).filter((component) => component !== null),
  };
}

/** There is a next page as long as `next` is there; an answer of cursors alone is the last one. */
function nextOf(paging: Readonly<Record<string, unknown>> | null): string | null {
  const next = paging?.['next'];
  if (typeof next !== 'string') return null;
  const cursor = URL.parse(next)?.searchParams.get('after') ?? objectOf(paging?.['cursors'])?.['after'];
  return typeof cursor === 'string' && cursor !== '' ? cursor : null;
}

/** The database takes no NUL. */
function textIn(object: Readonly<Record<string, unknown>> | null, field: string, max: number): string | null {
  const value = object?.[field];
  return typeof value === 'string' && value !== '' && value.length <= max && !value.includes('\u0000') ? value : null;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: decided by the HTTP status.
    return null;
  }
}
