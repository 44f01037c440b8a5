/**
 * Receives webhooks as the API's reference advises, with what Node.js (22.18 or newer) brings and nothing else:
 *
 *     WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.ts
 *
 * 1. It verifies the signature over the raw bytes, before it parses them, in constant time.
 * 2. It handles each `data.id` once: the same event may arrive again.
 * 3. It answers 2xx at once when an event is handled. Anything else, and silence for 10 s, is a failure, and the event
 *    comes again after 30 s and after 5 min.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
const port = Number(process.env['PORT'] ?? 8080);
if (secret === '') throw new Error('WEBHOOK_SECRET is not set: the secret of the webhook, whsec_…');

/** Events are at most 256 KB; what is much longer does not come from the service. */
const BODY_BYTES_MAX = 1024 * 1024;
/** An event is repeated within minutes; a replay may bring it again for as long as events are kept, 7 to 30 days. A real receiver keeps the ids in its database. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;
const REMEMBERED_MAX = 100_000;

interface WebhookEvent {
  readonly event: string;
  readonly timestamp: string;
  readonly organizationId: string;
  readonly data: { readonly id: string };
}

/** When each event was handled, by its id, oldest first. */
const handled = new Map<string, number>();
/** The ids of events that are being handled. */
const underWay = new Set<string>();

createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    // Not handled: a 5xx makes it come again.
    process.stderr.write(`${String(error)}\n`);
    if (!response.headersSent) response.writeHead(500).end();
  });
}).listen(port, '127.0.0.1', function listening(this: import('node:net').Server) {
  const address = this.address();
  process.stdout.write(`listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : port}\n`);
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  const body = await rawBody(request);
  if (body === null) return refuseLong(request, response);
  // For 24 hours after a rotation both secrets sign: a receiver that still has the former one stays valid.
  const signatures = [request.headers['x-service-signature'], request.headers['x-service-signature-previous']];
  if (!signatures.some((signature) => isSigned(body, signature))) return void response.writeHead(401).end();
  const event = JSON.parse(body.toString('utf8')) as WebhookEvent;
  const id: unknown = event.data.id;
  if (typeof id !== 'string') throw new TypeError('the event has no `data.id`');
  // The event comes again. No `Retry-After`: on a 503 it would hold all events of the webhook.
  if (underWay.has(id)) return void response.writeHead(503).end();
  const isRepeated = handled.has(id);
  if (!isRepeated) await handleOnce(id, event);
  process.stdout.write(`${JSON.stringify({ isRepeated, body: event })}\n`);
  response.writeHead(204).end();
}

/** Remembers an event once it is handled: where that fails, the event is handled when it comes again. */
async function handleOnce(id: string, event: WebhookEvent): Promise<void> {
  underWay.add(id);
  try {
    await handle(event);
    remember(id);
  } finally {
    underWay.delete(id);
  }
}

/** What your application does with an event. Long work belongs into a queue: 10 s are all the time there is. */
async function handle(_event: WebhookEvent): Promise<void> {}

/** Whether the header is the lowercase hex HMAC-SHA256 of these bytes, keyed with the whole secret. */
function isSigned(body: Buffer, signature: string | string[] | undefined): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}

/** The bytes as they came; null when there are too many, as soon as it is known: what comes then is not kept. */
function rawBody(request: IncomingMessage): Promise<Buffer | null> {
  // Where the length is given, before any of the body has come.
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return Promise.resolve(null);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_BYTES_MAX) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(null);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Answers at once, and closes when the sender is through, or after 2 s: closed on what was not read, it is reset and loses the answer. */
function refuseLong(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, { connection: 'close', 'content-length': 0 }).flushHeaders();
  // What comes is read, and not kept.
  request.resume();
  const timer = setTimeout(() => response.end(), 2_000);
  request.on('close', () => {
    clearTimeout(timer);
    response.end();
  });
}

function remember(id: string): void {
  const now = Date.now();
  for (const [oldest, at] of handled) {
    if (handled.size < REMEMBERED_MAX && now - at < REMEMBERED_MS) break;
    handled.delete(oldest);
  }
  handled.set(id, now);
}
