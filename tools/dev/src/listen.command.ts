import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { ApplicationSession } from './application-session.js';
import { DataFolder, readJson } from './data-folder.js';
import type { DevConfig } from './dev.config.js';
import type { DevJson } from './dev-json.js';

/** By which a webhook of a listener that was killed is found and removed. */
const DESCRIPTION = 'npm run listen';

/**
 * `npm run listen`: registers a local receiver for the first demonstration organization and prints what arrives there, until
 * Ctrl-C; then the webhook is deleted.
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
  const session = await ApplicationSession.begin(dev.baseUrl, owner);
  await removeFormer(session);
  const receiver = createServer();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const made = await session.ask('POST', '/app/api/webhooks', {
    url: `http://127.0.0.1:${port}/`,
    events: subscribableEvents,
    description: DESCRIPTION,
  });
  receiver.on('request', (request, response) => void print(request, response, String(made['secret'])));
  say(`Listening for ${organization?.name} at http://127.0.0.1:${port}/ (webhook ${String(made['id'])}); Ctrl-C ends.`);
  await ended;
  await session.ask('DELETE', `/app/api/webhooks/${String(made['id'])}`);
  await close(receiver);
  say('The webhook is deleted.');
  return 0;
}

async function print(request: IncomingMessage, response: ServerResponse, secret: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const header = request.headers['x-service-signature'];
  const isSigned = verifyServiceSignature(body, typeof header === 'string' ? header : undefined, secret);
  say(`${new Date().toISOString()}  ${isSigned ? 'signed' : 'NOT SIGNED'}  ${body.toString('utf8')}`);
  response.writeHead(isSigned ? 204 : 401).end();
}

async function removeFormer(session: ApplicationSession): Promise<void> {
  const { items = [] } = await session.ask('GET', '/app/api/webhooks?limit=100');
  for (const { id, description } of items as readonly { readonly id: string; readonly description: string | null }[]) {
    if (description === DESCRIPTION) await session.ask('DELETE', `/app/api/webhooks/${id}`);
  }
}

/** Ctrl-C, SIGTERM, or the end of the command that started this. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    if (process.connected) process.on('disconnect', end);
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
