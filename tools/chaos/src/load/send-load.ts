import { setTimeout as wait } from 'node:timers/promises';
import type { SentInbound, Send, SendOutcome } from '../ledger/ledgers.js';
import type { SimulatorControl } from '../ledger/simulator-control.js';
import type { SeededRandom } from '@switchboard/testing/seeded-random';
import { Balancer, codeOf, NoConnection, type BalancedAnswer } from './balancer.js';
import { SendPlan, type PlannedSend, type SendMix, type Sender } from './send-plan.js';

/** How hard the load is. */
export interface LoadSpec {
  readonly origins: readonly string[];
  readonly senders: readonly Sender[];
  readonly simulator: SimulatorControl;
  readonly random: SeededRandom;
  /** A closed loop: so many callers, each of which sends again when it was answered and has thought. */
  readonly callers: number;
  /** Milliseconds that a caller thinks at most; drawn anew each time. */
  readonly thinkMsMax: number;
  readonly mix: SendMix;
  /** Messages of contacts a second, sent by the simulator. */
  readonly inboundPerSecond: number;
}

/** A caller that gets no connection tries again, but not as fast as it can. */
const AFTER_NO_CONNECTION_MS = 250;
const PROBE_EVERY_MS = 100;
const LOOK_EVERY_MS = 10;
/** Connections of probes, which wait for no caller. */
const PROBES_MAX = 200;
let inboundTold = 0;

/** Callers that send, and contacts that write, until stopped. Records the answer to each caller. */
export class SendLoad {
  private readonly balancer: Balancer;
  private readonly plan: SendPlan;
  private readonly finished: Send[] = [];
  private readonly written: { id: string; isDelivered: boolean; isAnswered: boolean }[] = [];
  private readonly stopping = new AbortController();
  private readonly working: Promise<unknown>;
  private readonly probing = new Set<Promise<void>>();
  private simulatorDied = false;

  constructor(private readonly spec: LoadSpec) {
    this.balancer = new Balancer(spec.origins, spec.callers + PROBES_MAX);
    this.plan = new SendPlan(spec.random.fork(), spec.senders, spec.mix);
    const callers = Array.from({ length: spec.callers }, () => this.call(spec.random.fork()));
    this.working = Promise.all([...callers, this.write(spec.random.fork())]);
  }

  /** Sends that have ended. */
  get sends(): readonly Send[] {
    return this.finished;
  }

  get inbound(): SentInbound[] {
    return this.written.map(({ id, isDelivered, isAnswered }) => {
      return { upstreamMessageId: id, isCertain: isDelivered || (isAnswered && !this.simulatorDied) };
    });
  }

  /** What the simulator had not got rid of died with it: it keeps statuses over its death, not inbound messages. */
  forgetUndelivered(): void {
    this.simulatorDied = true;
  }

  /**
   * Sends every 100 ms, whatever became of the sends before, until one that begins from now on fits: callers who wait
   * for an answer would notice late that a service is back.
   *
   * @param probe `toNew`: whether to write to numbers that were never written to
   * @returns undefined when none fits within the deadline
   */
  async probe(
    fits: (send: Send) => boolean,
    { toNew, deadlineMs }: { readonly toNew: boolean; readonly deadlineMs: number },
  ): Promise<Send | undefined> {
    const startedMs = Date.now();
    let looked = this.finished.length;
    for (let probes = 0; Date.now() - startedMs < deadlineMs;) {
      if (startedMs + probes * PROBE_EVERY_MS <= Date.now() && this.probing.size < PROBES_MAX) {
        const probe = this.once({ toNew }).finally(() => this.probing.delete(probe));
        this.probing.add(probe);
        probes++;
      }
      await wait(LOOK_EVERY_MS);
      for (; looked < this.finished.length; looked++) {
        const send = this.finished[looked];
        if (send !== undefined && send.startedMs >= startedMs && fits(send)) return send;
      }
    }
    return undefined;
  }

  /** No further sends; returns when each begun has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.working;
    await Promise.all(this.probing);
    await this.balancer.close();
  }

  private async call(random: SeededRandom): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const isRefused = (await this.execute(this.plan.next())).outcome.kind === 'refused';
      await this.pause(isRefused ? AFTER_NO_CONNECTION_MS : random.next() * this.spec.thinkMsMax);
    }
  }

  private async once(to: { readonly toNew: boolean }): Promise<void> {
    await this.execute(this.plan.ordinary(to));
  }

  private async execute({ sender, to, text, isFirstTo }: PlannedSend): Promise<Send> {
    const startedMs = Date.now();
    const outcome = await this.send(sender, { to, text });
    const { organizationId } = sender;
    const send = { text, organizationId, to, isFirstTo, startedMs, endedMs: Date.now(), outcome };
    this.finished.push(send);
    return send;
  }

  private async send(sender: Sender, content: { to: string; text: string }): Promise<SendOutcome> {
    const headers = { authorization: `Bearer ${sender.apiKey}`, 'content-type': 'application/json' };
    try {
      return outcomeOf(await this.balancer.ask('POST', '/v1/messages', headers, JSON.stringify(content)));
    } catch (error) {
      return { kind: error instanceof NoConnection ? 'refused' : 'reset', error: codeOf(error) };
    }
  }

  private async write(random: SeededRandom): Promise<void> {
    if (this.spec.inboundPerSecond <= 0) return;
    const telling = new Set<Promise<void>>();
    while (!this.stopping.signal.aborted) {
      await this.pause((random.next() * 2_000) / this.spec.inboundPerSecond);
      const sender = random.pick(this.spec.senders);
      const id = `wamid.CHAOS${++inboundTold}`;
      const message = {
        id,
        from: this.plan.writer(sender),
        text: `to ${id}`,
        displayPhone: sender.phones[0]?.slice(1),
      };
      const done = this.tell(message).finally(() => telling.delete(done));
      telling.add(done);
    }
    await Promise.all(telling);
  }

  private async tell(message: { readonly id: string }): Promise<void> {
    const sent = { id: message.id, isDelivered: false, isAnswered: false };
    this.written.push(sent);
    try {
      sent.isDelivered = await this.spec.simulator.sendInbound(message);
      sent.isAnswered = true;
    } catch {
      // The simulator is away: whether it took the message is unknown.
    }
  }

  private async pause(durationMs: number): Promise<void> {
    await wait(durationMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/** What an answer says to a caller. */
export function outcomeOf({ status, headers, text, undescribed }: BalancedAnswer): SendOutcome {
  const body = read(text);
  const field = (name: string): string | null => {
    const value = body.get(name);
    return typeof value === 'string' ? value : null;
  };
  const error = body.get('error');
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null;
  const headerId = headers['x-message-id'];
  return {
    kind: 'answered',
    status,
    code,
    id: field('id'),
    headerId: typeof headerId === 'string' ? headerId : null,
    contactId: field('contactId'),
    conversationId: field('conversationId'),
    upstreamMessageId: field('upstreamMessageId'),
    undescribed,
  };
}

function read(text: string): ReadonlyMap<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return new Map(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []);
  } catch {
    return new Map();
  }
}
