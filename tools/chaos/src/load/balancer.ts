import type { SeenAnswer } from '@switchboard/check/description/described-api';
import { undescribedOf } from '@switchboard/check/description/described-answers';
import { Pool, type Dispatcher } from 'undici';

/** An answer, read whole. */
export interface BalancedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** What of it the API's description does not know, a sentence each. */
  readonly undescribed: readonly string[];
}

/** No address could be connected to: nothing was sent. */
export class NoConnection extends Error {}

/** Errors before a connection stood. Whatever else fails may have reached the service. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);
const ANSWER_DEADLINE_MS = 60_000;

/**
 * Keep-alive connections to the replicas of the gateway, in turn. As a load balancer does, it goes to the next one when
 * it gets no connection, and repeats nothing that was sent.
 */
export class Balancer {
  private readonly pools: readonly Pool[];
  private turn = 0;

  constructor(origins: readonly string[], connections: number) {
    this.pools = origins.map(
      (origin) =>
        new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 60_000, connect: { timeout: 2_000 } }),
    );
  }

  /** @throws NoConnection when nothing was sent; any other error when a request was and no whole answer came */
  async ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    headers: Record<string, string>,
    body: string | null = null,
  ): Promise<BalancedAnswer> {
    const first = this.turn++;
    for (let tried = 0; tried < this.pools.length; tried++) {
      const pool = this.pools[(first + tried) % this.pools.length];
      if (pool === undefined) break;
      try {
        return await ask(pool, { method, path, headers, body });
      } catch (error) {
        if (!NOT_CONNECTED.has(codeOf(error))) throw error;
      }
    }
    throw new NoConnection('no replica of the gateway takes connections');
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.destroy()));
  }
}

/** The system's or the client's code of an error; its name without one. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function ask(pool: Pool, options: Dispatcher.RequestOptions): Promise<BalancedAnswer> {
  const deadlines = { headersTimeout: ANSWER_DEADLINE_MS, bodyTimeout: ANSWER_DEADLINE_MS };
  const { statusCode, headers, body } = await pool.request({ ...options, ...deadlines });
  const answer = { status: statusCode, headers, text: await body.text() };
  return { ...answer, undescribed: undescribedOf(seen(options, answer)) };
}

/** An answer as the description is asked about it. */
function seen(
  { method, path }: Pick<Dispatcher.RequestOptions, 'method' | 'path'>,
  { status, headers, text }: Omit<BalancedAnswer, 'undescribed'>,
): SeenAnswer {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return { method, target: path, status, headers: new Headers(pairs), text };
}
