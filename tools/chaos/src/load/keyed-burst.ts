import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Send, SendOutcome } from '../ledger/ledgers.js';
import { Balancer, codeOf, NoConnection } from './balancer.js';
import { outcomeOf } from './send-load.js';
import { HEALTHY, SendPlan, type PlannedSend, type Sender } from './send-plan.js';

/** What a burst of sends is made of. */
export interface BurstSpec {
  readonly origins: readonly string[];
  readonly senders: readonly Sender[];
  readonly random: SeededRandom;
  readonly sends: number;
}

const REPEAT_AFTER_MS = 250;
const REPEAT_FOR_MS = 60_000;

/** Callers that send at once, each under a key, and repeat under it what was answered 409 or 503, or not at all. */
export class KeyedBurst {
  private readonly balancer: Balancer;
  private readonly plan: SendPlan;

  constructor(private readonly spec: BurstSpec) {
    this.balancer = new Balancer(spec.origins, spec.sends);
    this.plan = new SendPlan(spec.random.fork(), spec.senders, HEALTHY);
  }

  /** @returns each send with the last answer that its caller got */
  async run(): Promise<Send[]> {
    try {
      return await Promise.all(
        Array.from({ length: this.spec.sends }, () => this.send(this.plan.ordinary({ toNew: false }))),
      );
    } finally {
      await this.balancer.close();
    }
  }

  private async send({ sender, to, text, isFirstTo }: PlannedSend): Promise<Send> {
    const { organizationId, apiKey } = sender;
    const key = randomUUID();
    const startedMs = Date.now();
    for (;;) {
      const outcome = await this.ask(apiKey, key, JSON.stringify({ to, text }));
      const endedMs = Date.now();
      if (!isWorthRepeating(outcome) || endedMs - startedMs > REPEAT_FOR_MS) {
        return { text, organizationId, to, isFirstTo, startedMs, endedMs, outcome };
      }
      await wait(REPEAT_AFTER_MS);
    }
  }

  private async ask(apiKey: string, key: string, body: string): Promise<SendOutcome> {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    try {
      return outcomeOf(await this.balancer.ask('POST', '/v1/messages', headers, body));
    } catch (error) {
      return { kind: error instanceof NoConnection ? 'refused' : 'reset', error: codeOf(error) };
    }
  }
}

/** How long after that moment the last of the callers who were waiting at it had their final answers, whatever they got before. */
export function longestAfter(momentMs: number, sends: readonly Pick<Send, 'startedMs' | 'endedMs'>[]): number {
  const waiting = sends.filter(({ startedMs }) => startedMs <= momentMs);
  return Math.max(0, ...waiting.map(({ endedMs }) => endedMs - momentMs));
}

function isWorthRepeating(outcome: SendOutcome): boolean {
  return outcome.kind !== 'answered' || outcome.status === 409 || outcome.status === 503;
}
