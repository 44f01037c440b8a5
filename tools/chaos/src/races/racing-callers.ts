import type { Send, SendOutcome } from '../ledger/ledgers.js';
import { Balancer, codeOf, NoConnection } from '../load/balancer.js';
import { outcomeOf } from '../load/send-load.js';
import type { Sender } from '../load/send-plan.js';
import type { Stage } from '../stage/stage.js';

/** Recipients of races: no load writes to them. Each fault and each test has a stage of its own. */
const FIRST_PHONE = 14_155_550_000;

/** Callers of one organization that race with each other, each on a connection of its own. */
export class RacingCallers {
  /** Every send, in the order in which they ended. */
  readonly sends: Send[] = [];
  private readonly balancer: Balancer;
  private readonly sender: Sender;
  private phones = 0;
  private texts = 0;

  /** @throws Error when the stage has no organization to send for */
  constructor(stage: Stage, connections: number) {
    const [sender] = stage.senders;
    const { baseUrl } = stage.stack.devJson;
    if (!sender || baseUrl === undefined) throw new Error('the stage has nothing to race with');
    this.sender = sender;
    this.balancer = new Balancer([baseUrl], connections);
  }

  get organizationId(): string {
    return this.sender.organizationId;
  }

  /** A number that no one has written to. */
  nextPhone(): string {
    return `+${FIRST_PHONE + ++this.phones}`;
  }

  /** Sends a text that no other send has. A broken connection is an outcome, as any answer is. */
  async send(to: string): Promise<Send> {
    const { organizationId } = this;
    const text = `race ${++this.texts}`;
    const startedMs = Date.now();
    const outcome = await this.ask('/v1/messages', { to, text });
    const send = { text, organizationId, to, isFirstTo: true, startedMs, endedMs: Date.now(), outcome };
    this.sends.push(send);
    return send;
  }

  /** Opts a number out. @returns when the call had returned, by the machine's clock; null when it did not succeed */
  async optOut(phone: string): Promise<number | null> {
    return isTaken(await this.ask('/v1/opt-outs', { phone })) ? Date.now() : null;
  }

  /** Opts a number out and in again. @returns whether both calls succeeded */
  async optOutAndIn(phone: string): Promise<boolean> {
    const outcome = await this.ask('/v1/opt-outs', { phone });
    if (!isTaken(outcome) || outcome.id === null) return false;
    return isTaken(await this.delete(`/v1/opt-outs/${outcome.id}`));
  }

  /** Erases a contact. @returns whether the call succeeded */
  async erase(contactId: string): Promise<boolean> {
    return isTaken(await this.delete(`/v1/contacts/${contactId}`));
  }

  async close(): Promise<void> {
    await this.balancer.close();
  }

  private ask(path: string, body: unknown): Promise<SendOutcome> {
    const headers = { authorization: `Bearer ${this.sender.apiKey}`, 'content-type': 'application/json' };
    return this.outcome(() => this.balancer.ask('POST', path, headers, JSON.stringify(body)));
  }

  private delete(path: string): Promise<SendOutcome> {
    return this.outcome(() => this.balancer.ask('DELETE', path, { authorization: `Bearer ${this.sender.apiKey}` }));
  }

  private async outcome(ask: () => ReturnType<Balancer['ask']>): Promise<SendOutcome> {
    try {
      return outcomeOf(await ask());
    } catch (error) {
      return { kind: error instanceof NoConnection ? 'refused' : 'reset', error: codeOf(error) };
    }
  }
}

function isTaken(outcome: SendOutcome): outcome is Extract<SendOutcome, { kind: 'answered' }> {
  return outcome.kind === 'answered' && outcome.status < 300;
}

/** How many of these sends were answered with that status. */
export function answeredWith(status: number, sends: readonly Send[]): number {
  return sends.filter(({ outcome }) => outcome.kind === 'answered' && outcome.status === status).length;
}
