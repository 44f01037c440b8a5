import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';
import { readiness, type ReadinessCheck } from './readiness.js';

/** What the internal server tells of its process. */
export interface InternalServerParts {
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Absent in a process that measures nothing, as in tests: `/metrics` is 404 then. */
  readonly metrics: Pick<Metrics, 'scrape'> | undefined;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Source: Prometheus documentation, "Exposition formats". */
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The HTTP server that operators alone reach: `/health/live`, `/health/ready` and `/metrics`. It has no authentication,
 * so it listens where no caller of the API comes.
 */
export class InternalServer {
  private readonly server: Server;

  constructor(private readonly parts: InternalServerParts) {
    this.server = createServer((request, response) => {
      const path = request.url?.replace(/\?.*$/s, '') ?? '';
      this.answer(path).then(
        ({ status, contentType, body }) => response.writeHead(status, { 'content-type': contentType }).end(body),
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

  private async answer(path: string): Promise<Answer> {
    const { checks, metrics } = this.parts;
    if (path === '/health/live') return json(200, { ok: true });
    if (path === '/health/ready') {
      const result = await readiness(checks);
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
