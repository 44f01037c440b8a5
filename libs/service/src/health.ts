import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whether a dependency answers; resolves to null when it does, else to one line that says what is wrong. */
export type ReadinessCheck = () => Promise<string | null>;

/** The answer of `/health/ready`. */
export interface Readiness {
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

const CHECK_DEADLINE_MS = 2_000;

/** Asks every dependency at once, each for at most 2 s. */
export async function readiness(checks: Readonly<Record<string, ReadinessCheck>>): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, (await within(check)) ?? 'ok'] as const),
  );
  return { ok: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
}

async function within(check: ReadinessCheck): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve('no answer within 2 s'), CHECK_DEADLINE_MS);
  try {
    return await Promise.race([check(), promise]);
  } catch {
    // Anybody may ask: what the driver says (hosts, roles) is in the log of whoever uses the dependency.
    return 'unavailable';
  } finally {
    clearTimeout(timer);
  }
}

/** The small HTTP server of a service that has no API of its own: `/health/live` and `/health/ready`. */
export class HealthServer {
  private readonly server: Server;

  constructor(private readonly checks: Readonly<Record<string, ReadinessCheck>>) {
    this.server = createServer((request, response) => {
      this.answer(request.url ?? '').then(
        ([status, body]) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        },
        () => response.writeHead(503).end(),
      );
    });
  }

  /** @returns the URL it listens at */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, resolve);
    });
    return `http://${host}:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(path: string): Promise<[number, unknown]> {
    if (path === '/health/live') return [200, { ok: true }];
    if (path !== '/health/ready') return [404, { error: { code: 'NOT_FOUND', message: 'There is nothing here' } }];
    const result = await readiness(this.checks);
    return [result.ok ? 200 : 503, result];
  }
}
