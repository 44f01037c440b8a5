import { connect, type Socket } from 'node:net';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { RpcServerStrategy, type NatsConnection } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import { createLog, refusalOf, rpcFailure, type Log } from '@switchboard/platform';
import type { TestServers } from '@switchboard/testing';
import type { LoggerService } from '@nestjs/common';
import { gatewayConfig, type GatewayConfig } from '../src/gateway.config.js';
import { startGateway, type RunningGateway } from '../src/gateway.js';
import { gatewayMigrations } from '../src/migrations/all.js';
import { mintKey } from '../src/identity/api-key/api-key.policy.js';

/** A log that keeps its lines. */
export class MemoryLog implements Log, LoggerService {
  readonly lines: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];

  info(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ event, fields });
  }
  warn(event: string, fields: unknown = {}): void {
    this.lines.push({ event, fields: { ...Object(fields) } });
  }
  error(event: string, error: unknown): void {
    this.lines.push({ event, fields: { error: String(error) } });
  }
  log(): void {}
}

/** A gateway on real servers, with one process's worth of everything. */
export interface TestGateway {
  readonly gateway: RunningGateway;
  readonly log: MemoryLog;
  readonly database: Database;
  /** With every right, as the superuser. */
  readonly superuser: Database;
  readonly config: GatewayConfig;
}

/** Boots a gateway for a test file. */
export async function bootGateway(
  servers: TestServers,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestGateway> {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  const nats = await servers.nats();
  const config = gatewayConfig({
    GATEWAY_PORT: '0',
    CLOUD_APP_SECRET: 'app-secret',
    CLOUD_VERIFY_TOKEN: 'verify-token',
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: prepared.url,
    NATS_URL: nats.url,
    NATS_USER: 'gateway',
    NATS_PASSWORD: nats.password,
    ...settings,
  });
  const log = new MemoryLog();
  const gateway = await startGateway(config, log);
  servers.onEnd(() => gateway.stop());
  return { gateway, log, config, database: await prepared.database(), superuser: await prepared.superuser() };
}

/** What a test wants otherwise than an active organization on the largest plan with an unlimited key. */
export interface KeyInput {
  readonly organizationId?: string;
  readonly plan?: string;
  readonly status?: string;
  readonly scopes?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly burst?: number;
}

/** A key that is not revoked. */
export interface IssuedKey {
  readonly organizationId: string;
  readonly keyId: string;
  readonly secret: string;
}

/** Makes a key, and its organization unless one is named. */
export async function issueKey(database: Database, input: KeyInput = {}): Promise<IssuedKey> {
  const organizationId = input.organizationId ?? newCuid();
  if (input.organizationId === undefined) {
    await database.dataSource.query(
      `INSERT INTO gateway.organization (id, name, plan, subscription_status, requests_per_minute, request_burst)
       VALUES ($1, 'Test', $2, $3, $4, $5)`,
      [organizationId, input.plan ?? 'SCALE', input.status ?? 'ACTIVE', input.requestsPerMinute, input.burst],
    );
  }
  const { secret, prefix, hash } = mintKey();
  const keyId = newCuid();
  await database.dataSource.query(
    `INSERT INTO gateway.api_key (id, organization_id, label, prefix, secret_hash, scopes)
     VALUES ($1, $2, 'Test', $3, decode($4, 'hex'), $5)`,
    [keyId, organizationId, prefix, hash, input.scopes ?? null],
  );
  return { organizationId, keyId, secret };
}

/** Answers rpcs in place of a service that is not under test. */
export async function answerRpcs(
  connection: NatsConnection,
  service: string,
  answers: Readonly<Record<string, (request: unknown) => unknown>>,
): Promise<RpcServerStrategy> {
  const log = createLog('stand-in');
  const strategy = new RpcServerStrategy({
    connection,
    service,
    inFlightMax: 100,
    failureOf: (error, subject) => rpcFailure(refusalOf(error, log, subject)),
  });
  for (const [subject, answer] of Object.entries(answers)) {
    strategy.addHandler(subject, async (message: { request: unknown }) => answer(message.request));
  }
  strategy.listen(() => undefined);
  await connection.flush();
  return strategy;
}

/** An answer as it was on the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes over a connection of their own and reads until it is closed, or until `answers` came with their bodies. */
export async function sendRaw(url: string, bytes: string | Buffer, answers = 1): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer[]>();
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (parseAnswers(received).length >= answers) socket.destroy();
  });
  socket.once('error', (error) => (received.length > 0 ? resolve(parseAnswers(received)) : reject(error)));
  socket.once('close', () => resolve(parseAnswers(received)));
  socket.write(bytes);
  return promise;
}

function parseAnswers(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = received.toString('latin1');
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    rest = rest.slice(end + 4);
    const status = Number(first.split(' ')[1]);
    if (status === 100) continue;
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const),
    );
    const length = Number(headers.get('content-length') ?? 0);
    if (rest.length < length) return answers;
    answers.push({ status, headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
}
