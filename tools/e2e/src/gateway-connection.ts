import { Agent, request, type IncomingMessage } from 'node:http';
import type { RunningStack } from '@switchboard/dev';
import { eventually } from '@switchboard/testing/eventually';
import { parseScrape, valuesOf } from './scrape.js';

/** A connection that stays with the gateway process that took it. */
export class GatewayConnection {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @returns the status and the headers; requests of one connection go one after the other */
  async get(path: string): Promise<{ readonly status: number; readonly headers: Headers }> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { agent } = this;
      const headers = { authorization: `Bearer ${this.apiKey}` };
      request(new URL(path, this.baseUrl), { agent, headers, timeout: 30_000 }, resolve).on('error', reject).end();
    });
    await answer.resume().toArray();
    const headers = new Headers(
      Object.entries(answer.headersDistinct).map(([name, [value = ''] = []]) => [name, value]),
    );
    return { status: answer.statusCode ?? 0, headers };
  }

  close(): void {
    this.agent.destroy();
  }
}

/**
 * Opens a connection to each gateway process behind the one socket of a stack. A process that has one is stopped until all have:
 * what is stopped takes no connection, so that the next one goes to another.
 */
export async function connectToEachGateway(stack: RunningStack, apiKey: string): Promise<GatewayConnection[]> {
  const { baseUrl = '', processes } = stack.devJson;
  const left = new Map(
    processes.flatMap(({ name, pid, metrics }) => (/^gateway(-\d+)?$/.test(name) && metrics ? [[pid, metrics]] : [])),
  );
  const stopped: number[] = [];
  const connections: GatewayConnection[] = [];
  try {
    while (left.size > 0) {
      const before = await pings(left);
      const connection = new GatewayConnection(baseUrl, apiKey);
      connections.push(connection);
      await connection.get('/v1/ping');
      const taker = await eventually(async () => {
        const after = await pings(left);
        return [...left.keys()].find((pid) => after.get(pid) !== before.get(pid));
      });
      process.kill(taker, 'SIGSTOP');
      stopped.push(taker);
      left.delete(taker);
    }
    return connections;
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
  }
}

/** How many pings each of these processes has answered. */
async function pings(metrics: ReadonlyMap<number, string>): Promise<Map<number, number>> {
  const counted = [...metrics].map(async ([pid, url]): Promise<[number, number]> => {
    const scraped = parseScrape(await (await fetch(url)).text());
    const counts = valuesOf(scraped, 'http_server_request_duration_seconds_count', { route: '/v1/ping' });
    return [pid, counts.reduce((sum, one) => sum + one, 0)];
  });
  return new Map(await Promise.all(counted));
}
