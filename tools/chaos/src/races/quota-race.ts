import type { Finding } from '../audit/finding.js';
import type { Send } from '../ledger/ledgers.js';
import type { Stage } from '../stage/stage.js';
import { answeredWith, RacingCallers } from './racing-callers.js';

/** What an organization has used of its quota: by its counter, and by the messages that are stored. */
export interface QuotaUse {
  readonly used: number;
  readonly counted: number;
}

/** What came of one race at the edge of the quota. */
export interface QuotaRaceResult {
  readonly passed: number;
  readonly refused: number;
  readonly findings: readonly Finding[];
}

const SINGLE_SENDS_MAX = 1_000;

/** Many senders at once, with less of the month's quota left than they want. */
export class QuotaRacing {
  private readonly callers: RacingCallers;

  constructor(
    private readonly stage: Stage,
    private readonly senders: number,
  ) {
    this.callers = new RacingCallers(stage, senders);
  }

  /** What the audit can compare: a refusal for the quota leaves nothing behind, and is counted here. */
  get stored(): readonly Send[] {
    return this.callers.sends.filter(({ outcome }) => outcome.kind !== 'answered' || outcome.status !== 402);
  }

  /** Nothing is killed: exactly the rest passes, and every other sender is refused. */
  async exactly(rest: number): Promise<QuotaRaceResult> {
    const max = await this.leave(rest);
    const sends = await this.sendAll();
    const [passed, refused] = [answeredWith(200, sends), answeredWith(402, sends)];
    const findings = this.compare(await this.use(), { atMost: max, atLeast: max });
    if (passed !== rest || refused !== this.senders - rest) {
      const detail = `${passed} passed and ${refused} were refused of ${this.senders}, with ${rest} left`;
      findings.push({ rule: passed > rest ? 'quota.exceeded' : 'quota.unused', detail });
    }
    return { passed, refused, findings };
  }

  /** A replica dies meanwhile: never more than the rest passes, and single sends can use what is left of it. */
  async whileKilling(name: string, rest: number, kill: () => Promise<void>): Promise<QuotaRaceResult> {
    const { used: before } = await this.use();
    const max = await this.leave(rest);
    const sending = this.sendAll();
    await kill();
    const sends = await sending;
    await this.stage.stack.process(name).restarted();
    const [passed, refused] = [answeredWith(200, sends), answeredWith(402, sends)];
    const findings = this.compare(await this.use(), { atMost: max, atLeast: before + passed });
    await this.useUp();
    findings.push(...this.compare(await this.use(), { atMost: max, atLeast: max }));
    return { passed, refused, findings };
  }

  /** Counter and messages, as the database has them at this moment. */
  async use(): Promise<QuotaUse> {
    const [row] = await this.stage.database.query<{ used: number; counted: number }>(
      `SELECT coalesce((SELECT used FROM messaging.quota WHERE organization_id = $1 AND month = this.month), 0)::int AS used,
         messaging.quota_counted($1, this.month)::int AS counted
       FROM (SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month) AS this`,
      [this.callers.organizationId],
    );
    return row ?? { used: 0, counted: 0 };
  }

  async close(): Promise<void> {
    await this.callers.close();
  }

  /** @returns the quota that leaves so many messages */
  private async leave(rest: number): Promise<number> {
    const max = (await this.use()).used + rest;
    await this.stage.database.query('UPDATE gateway.organization SET messages_per_month = $2 WHERE id = $1', [
      this.callers.organizationId,
      max,
    ]);
    return max;
  }

  private async sendAll(): Promise<Send[]> {
    const { callers } = this;
    return Promise.all(Array.from({ length: this.senders }, () => callers.send(callers.nextPhone())));
  }

  /** Sends one after the other until one is refused for the quota. */
  private async useUp(): Promise<void> {
    for (let sent = 0; sent < SINGLE_SENDS_MAX; sent++) {
      if (answeredWith(402, [await this.callers.send(this.callers.nextPhone())]) > 0) return;
    }
    throw new Error(`the quota still allows a message after ${SINGLE_SENDS_MAX} sends`);
  }

  private compare(use: QuotaUse, { atMost, atLeast }: { atMost: number; atLeast: number }): Finding[] {
    const detail = `used ${use.used}, counted ${use.counted}; at least ${atLeast} and at most ${atMost} expected`;
    const findings: Finding[] = [];
    if (use.used !== use.counted) findings.push({ rule: 'quota.differs', detail });
    if (use.used > atMost) findings.push({ rule: 'quota.exceeded', detail });
    if (use.used < atLeast) findings.push({ rule: 'quota.unused', detail });
    return findings;
  }
}
