import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';
import { ownHost } from './own-address.js';
import { canServe, readiness, type ReadinessCheck } from './readiness.js';

/** Answers every request whose path begins with the prefix that it is registered under. Never rejects. */
export type InternalRoute = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What the internal server reports of its process. */
export interface InternalServerParts {
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Absent in a process that measures nothing, as in tests: `/metrics` is 404 then. */
  readonly metrics: Pick<Metrics, 'scrape'> | undefined;
  /** Further routes by their path's prefix; each sees to its own authentication. */
  readonly routes?: Readonly<Record<string, InternalRoute>>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Source: Prometheus documentation, "Exposition formats". */
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The HTTP server that operators and other services alone reach: `/health/live`, `/health/ready` (every dependency answers),
 * `/health/serving` (for load balancers) and `/metrics`. They need no authentication, so it listens where no caller of the
 * API comes.
 */
export class InternalServer {
  private readonly server: Server;

  constructor(private readonly parts: InternalServerParts) {
    this.server = createServer((request, response) => {
      const route = Object.entries(parts.routes ?? {}).find(([prefix]) => request.url?.startsWith(prefix))?.[1];
      if (route) return void route(request, response);
      const path = request.url?.replace(/\?.*$/s, '') ?? '';
      this.answer(path).then(
        ({ status, contentType, body }) => response.writeHead(status, { 'content-type': contentType }).end(body),
        () => response.writeHead(503).end(),
      );
    });
  }

  /**
   * @returns the URL at which other processes find it, see `ownHost`
   * @throws Error that names where it was to listen
   */
  async listen(host: string, port: number, natsUrl?: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error): void =>
        reject(new Error(`SERVICE_HTTP_HOST ${host}, SERVICE_HTTP_PORT ${port}: ${cause.message}`, { cause }));
      this.server.once('error', fail).listen(port, host, resolve);
    });
    return `http://${await ownHost(host, natsUrl)}:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(path: string): Promise<Answer> {
    const { checks, metrics } = this.parts;
    if (path === '/health/live') return json(200, { ok: true });
    if (path === '/health/ready' || path === '/health/serving') {
      const result = await (path === '/health/ready' ? readiness(checks) : canServe(checks));
      return json(result.ok ? 200 : 503, result);
    }
    if (path === '/metrics' && metrics) {
      return { status: 200, contentType: PROMETHEUS_TEXT, body: await metrics.scrape() };
    }
    return json(404, { error: { code: 'NOT_FOUND', message: 'There is nothing here' } });
  }
}

function json(status: number, body: unknown): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}
