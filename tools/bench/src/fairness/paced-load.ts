import { Pool } from 'undici';

/** Requests at a fixed rate, whatever the outcome of those before: as independent callers come. */
export interface PacedLoadOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly recipients: readonly string[];
}

/** What became of paced requests. */
export interface PacedResult {
  /** Milliseconds from the moment at which each was due, in the order of the answers. */
  readonly latenciesMs: readonly number[];
  readonly statuses: Readonly<Record<number, number>>;
}

const TICK_MS = 5;

/**
 * Sends messages at a rate until `stop`, which waits for the last answers.
 *
 * What is late counts from when it was due, so that a server that stands still is not asked less for it.
 */
export function startPacedLoad(options: PacedLoadOptions): { stop(): Promise<PacedResult> } {
  const pool = new Pool(options.url, { connections: options.connections, pipelining: 1, keepAliveTimeout: 60_000 });
  const headers = { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' };
  const latenciesMs: number[] = [];
  const statuses: Record<number, number> = {};
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  let sent = 0;
  const ask = async (dueMs: number): Promise<void> => {
    const to = options.recipients[sent % options.recipients.length];
    const body = JSON.stringify({ to, text: 'fairness' });
    const answer = await pool.request({ method: 'POST', path: '/v1/messages', headers, body });
    await answer.body.dump();
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
    latenciesMs.push(performance.now() - dueMs);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedMs) / 1_000) * options.perSecond;
    for (; sent < due; sent++) {
      const asked: Promise<void> = ask(startedMs + (sent / options.perSecond) * 1_000).finally(() =>
        open.delete(asked),
      );
      open.add(asked);
    }
  }, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      await pool.close();
      return { latenciesMs, statuses };
    },
  };
}
