import { setTimeout as wait } from 'node:timers/promises';
import type { Finding } from '../audit/finding.js';
import { Balancer, codeOf } from './balancer.js';
import type { Sender } from './send-plan.js';

/** Who reads, and where. */
export interface ReadSpec {
  readonly origins: readonly string[];
  readonly senders: readonly Sender[];
}

const READERS = 6;
const PAUSE_MS = 20;
/** Routes that another service answers each. */
const PATHS = ['/v1/conversations?limit=5', '/v1/contacts?limit=5', '/v1/channels', '/v1/ping'];

/** Callers that read over keep-alive connections until stopped, for faults that promise that no request fails. */
export class ReadLoad {
  private readonly balancer: Balancer;
  private readonly stopping = new AbortController();
  private readonly working: Promise<unknown>;
  private readonly failures: string[] = [];
  private reads = 0;

  constructor({ origins, senders }: ReadSpec) {
    this.balancer = new Balancer(origins, READERS);
    this.working = Promise.all(Array.from({ length: READERS }, (_, index) => this.read(senders, index)));
  }

  /** @returns how many were answered, and what failed: anything but a 200 as described */
  async stop(when: string): Promise<{ readonly reads: number; readonly findings: readonly Finding[] }> {
    this.stopping.abort();
    await this.working;
    await this.balancer.close();
    const findings = this.failures.map((detail) => ({ rule: 'send.failed' as const, detail: `${when}: ${detail}` }));
    return { reads: this.reads, findings };
  }

  private async read(senders: readonly Sender[], first: number): Promise<void> {
    for (let turn = first; !this.stopping.signal.aborted; turn++) {
      const path = PATHS[turn % PATHS.length] ?? '/v1/ping';
      const authorization = `Bearer ${senders[turn % senders.length]?.apiKey ?? ''}`;
      const startedMs = Date.now();
      const failed = await this.balancer.ask('GET', path, { authorization }).then(
        ({ status, text, undescribed }) =>
          status === 200 && undescribed.length === 0 ? null : [status, ...undescribed, text].join(' '),
        (error: unknown) => codeOf(error),
      );
      this.reads++;
      if (failed !== null) this.failures.push(`GET ${path}: ${failed} after ${Date.now() - startedMs} ms`);
      await wait(PAUSE_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }
}
