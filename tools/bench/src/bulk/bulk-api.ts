import type { JobView } from '@switchboard/contracts/templates/job-http';
import { Pool } from 'undici';
import { setTimeout as wait } from 'node:timers/promises';

const PATH = '/v1/templates/send';
const LOOK_EVERY_MS = 100;
let numbers = 0;

/** Bulk sends of one organization, by its key. */
export class BulkApi {
  private readonly pool: Pool;
  private readonly headers: Record<string, string>;

  constructor(url: string, apiKey: string) {
    this.pool = new Pool(url, { connections: 12, headersTimeout: 600_000, bodyTimeout: 600_000 });
    this.headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  }

  /** @returns the job's id, and how long its 202 took @throws Error when it is answered otherwise */
  async send(body: Buffer): Promise<{ readonly id: string; readonly tookMs: number }> {
    const askedMs = performance.now();
    const answer = await this.pool.request({ method: 'POST', path: PATH, headers: this.headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 202) throw new Error(`${PATH}: ${answer.statusCode} ${text}`);
    return { id: (JSON.parse(text) as JobView).id, tookMs: performance.now() - askedMs };
  }

  async get(id: string): Promise<JobView> {
    const answer = await this.pool.request({ method: 'GET', path: `${PATH}/${id}`, headers: this.headers });
    return (await answer.body.json()) as JobView;
  }

  /** Waits until no recipient is queued. @returns how long that took */
  async drained(id: string): Promise<number> {
    const beganMs = performance.now();
    while ((await this.get(id)).counts.queued > 0) await wait(LOOK_EVERY_MS);
    return performance.now() - beganMs;
  }

  async cancel(id: string): Promise<void> {
    const answer = await this.pool.request({ method: 'POST', path: `${PATH}/${id}/cancel`, headers: this.headers });
    await answer.body.dump();
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}

/** A batch to numbers of its own. @param padding bytes that each recipient has in addition. @param first of the numbers: seven digits */
export function batchOf(
  count: number,
  {
    padding = 0,
    scheduledAt,
    first = 2_000_000 + 100_000 * (numbers++ % 70),
  }: { padding?: number; scheduledAt?: string; first?: number } = {},
): Buffer {
  const metadata = padding === 0 ? {} : { metadata: { note: 'x'.repeat(padding) } };
  const recipients = Array.from({ length: count }, (_none, index) => ({ to: `+1415${first + index}`, ...metadata }));
  return Buffer.from(JSON.stringify({ template: { name: 'welcome', language: 'en_US' }, scheduledAt, recipients }));
}
