import { Pool } from 'undici';

/** A closed loop: each connection sends the next request as soon as it was answered. */
export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly durationMs: number;
  /** The status that every answer is to have; 200 by default. */
  readonly expectedStatus?: number;
  /** The next request; a POST unless it says otherwise. */
  readonly next: () => LoadRequest;
}

/** One request of the loop. */
export interface LoadRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** What a run of the loop saw. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs the loop for its time and waits for the last answers. @throws Error when one has another status: the run is void */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(options.url, { connections: options.connections, pipelining: 1, keepAliveTimeout: 60_000 });
  const latencies: number[] = [];
  let failures = 0;
  let firstFailure: string | null = null;
  const startedMs = performance.now();
  const one = async (): Promise<void> => {
    while (performance.now() - startedMs < options.durationMs) {
      const { method = 'POST', path, headers, body = null } = options.next();
      const askedMs = performance.now();
      const answer = await pool.request({ method, path, headers, body });
      const text = await answer.body.text();
      latencies.push(performance.now() - askedMs);
      if (answer.statusCode === (options.expectedStatus ?? 200)) continue;
      failures++;
      firstFailure ??= `${answer.statusCode} ${text}`;
    }
  };
  await Promise.all(Array.from({ length: options.connections }, one));
  const elapsedMs = performance.now() - startedMs;
  await pool.close();
  if (failures > 0) throw new Error(`${failures} requests to ${options.url} failed; the first: ${firstFailure}`);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    perSecond: (latencies.length / elapsedMs) * 1_000,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
}
