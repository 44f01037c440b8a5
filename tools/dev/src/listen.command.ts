import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { ApplicationSession } from './application-session.js';
import { DataFolder, readJson } from './data-folder.js';
import type { DevConfig } from './dev.config.js';
import type { DevJson } from './dev-json.js';

/** By which a webhook of a listener that was killed is found and removed; another one that still listens keeps its own. */
const DESCRIPTION = 'npm run listen';

/** Four times the longest event. */
const BODY_BYTES_MAX = 1024 * 1024;

/** A signal that follows another so soon is the same one: a terminal and the command that started this both send it. */
const SAME_SIGNAL_MS = 500;

/** A webhook as it is listed. */
interface Registered {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
}

/** A person who signs in. */
type Person = Parameters<typeof ApplicationSession.begin>[1];

/**
 * `npm run listen`: registers a local receiver for the first demonstration organization and prints what arrives there, until
 * Ctrl-C; then the webhook is deleted. A second Ctrl-C ends at once.
 *
 * @returns the exit code
 */
export async function listen({ dataDir }: DevConfig): Promise<number> {
  const dev = (await readJson(new DataFolder(dataDir).devFile)) as DevJson | undefined;
  const organization = dev?.organizations?.[0];
  const owner = organization?.users?.find(({ role }) => role === 'OWNER');
  if (dev?.baseUrl === undefined || owner === undefined) {
    throw new Error(`Nothing to listen to in ${dataDir}: \`npm start\` first.`);
  }
  const ended = untilEnded();
  const receiver = createServer();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { id, secret } = await register(dev.baseUrl, owner, url);
    receiver.on('request', (request, response) => {
      // A sender that breaks off has said nothing that could be printed.
      print(request, response, secret).catch(() => response.destroy());
    });
    say(`Listening for ${organization?.name} at ${url} (webhook ${id}); Ctrl-C ends.`);
    await ended;
    return await remove(dev.baseUrl, owner, id);
  } finally {
    await close(receiver);
  }
}

async function register(
  baseUrl: string,
  owner: Person,
  url: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const session = await ApplicationSession.begin(baseUrl, owner).catch((cause: unknown) => {
    const why = 'after a change of their password, or with a second factor, register a webhook in the console instead';
    throw new Error(`${owner.email} cannot sign in as they were seeded (${why}).`, { cause });
  });
  await removeFormer(session);
  const asked = { url, events: subscribableEvents, description: DESCRIPTION };
  const made = await session.ask('POST', '/app/api/webhooks', asked);
  return { id: String(made['id']), secret: String(made['secret']) };
}

/** In a new session: that of the beginning may have ended. @returns the exit code */
async function remove(baseUrl: string, owner: Person, id: string): Promise<number> {
  try {
    const session = await ApplicationSession.begin(baseUrl, owner);
    await session.delete(`/app/api/webhooks/${id}`);
    say('The webhook is deleted.');
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`The webhook stays (${reason}): the next \`npm run listen\` deletes it.`);
    return 1;
  }
}

async function print(request: IncomingMessage, response: ServerResponse, secret: string): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('no event is so long');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  // For 24 hours after a rotation the secret that is known here is the former one.
  const { 'x-service-signature': current, 'x-service-signature-previous': previous } = request.headers;
  const isSigned = [current, previous].some(
    (header) => typeof header === 'string' && verifyServiceSignature(body, header, secret),
  );
  say(`${new Date().toISOString()}  ${isSigned ? 'signed' : 'NOT SIGNED'}  ${body.toString('utf8')}`);
  response.writeHead(isSigned ? 204 : 401).end();
}

async function removeFormer(session: ApplicationSession): Promise<void> {
  const { items = [] } = await session.ask('GET', '/app/api/webhooks?limit=100');
  for (const { id, url, description } of items as readonly Registered[]) {
    if (description === DESCRIPTION && !(await isListening(url))) await session.delete(`/app/api/webhooks/${id}`);
  }
}

/** Whether a connection to the local port of a URL is taken. */
async function isListening(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Ctrl-C, SIGTERM, or the end of the command that started this; a later signal ends the process at once. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    let endedMs = Infinity;
    const end = (): void => {
      if (performance.now() - endedMs > SAME_SIGNAL_MS) process.exit(130);
      endedMs = Math.min(endedMs, performance.now());
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    if (process.connected) process.on('disconnect', resolve);
  });
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
