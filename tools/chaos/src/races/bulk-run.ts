import { setTimeout as wait } from 'node:timers/promises';
import type { JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import type { JobLedger, JobMessage } from '../audit/job-rules.policy.js';
import { Balancer, type BalancedAnswer } from '../load/balancer.js';
import type { Sender } from '../load/send-plan.js';
import type { Stage } from '../stage/stage.js';

const PATH = '/v1/templates/send';
/** Of the simulator's own, without variables. */
const TEMPLATE = { name: 'welcome', language: 'en_US' };
const LOOK_EVERY_MS = 250;
const PAGE = 100;
let numbers = 0;

/** What may be wrong with the way of a bulk send's submission. */
export interface Submission {
  readonly jobId: string;
  /** Answers other than 202, and requests without one, until there was a 202. */
  readonly repeated: number;
}

/** One bulk send to numbers that no one else writes to, read all the time while it runs. */
export class BulkRun {
  readonly readings: JobView[] = [];
  private readonly balancer: Balancer;
  private readonly sender: Sender;
  private jobId = '';

  constructor(
    private readonly stage: Stage,
    private readonly recipients: number,
  ) {
    const [sender] = stage.senders;
    const { baseUrl } = stage.stack.devJson;
    if (!sender || baseUrl === undefined) throw new Error('the stage has nothing to send with');
    this.sender = sender;
    this.balancer = new Balancer([baseUrl], 4);
  }

  /** Has the channels of the organization begin so many attempts a second. */
  async pace(perSecond: number): Promise<void> {
    await this.stage.database.query(
      `INSERT INTO messaging.channel_pace (organization_id, channel_id, per_second)
       SELECT organization_id, id, $2 FROM messaging.channel WHERE organization_id = $1
       ON CONFLICT (organization_id, channel_id) DO UPDATE SET per_second = excluded.per_second`,
      [this.sender.organizationId, perSecond],
    );
  }

  /** Sends the batch under a key, again after every failure, until it is accepted. */
  async submit(key: string, deadlineMs: number): Promise<Submission> {
    const first = 14_156_200_000 + 100_000 * ++numbers;
    const recipients = Array.from({ length: this.recipients }, (_none, index) => ({ to: `+${first + index}` }));
    const body = JSON.stringify({ template: TEMPLATE, recipients });
    const endsAtMs = Date.now() + deadlineMs;
    for (let repeated = 0; Date.now() < endsAtMs; repeated++) {
      const answer = await this.ask('POST', PATH, body, { 'idempotency-key': key });
      if (answer?.status === 202) {
        this.jobId = (JSON.parse(answer.text) as JobView).id;
        return { jobId: this.jobId, repeated };
      }
      await wait(LOOK_EVERY_MS);
    }
    throw new Error(`the batch was not accepted within ${deadlineMs} ms`);
  }

  /** Reads the job until it is completed or the time is over; failed readings are none. */
  async watch(deadlineMs: number): Promise<void> {
    for (const endsAtMs = Date.now() + deadlineMs; Date.now() < endsAtMs; await wait(LOOK_EVERY_MS)) {
      const job = await this.read<JobView>(`${PATH}/${this.jobId}`);
      if (job) this.readings.push(job);
      if (job?.status === 'COMPLETED') return;
    }
  }

  /** What there is to compare, at rest. @param firstRequest number of the upstream's first request of this run */
  async ledger(firstRequest: number): Promise<JobLedger> {
    const last = await this.read<JobView>(`${PATH}/${this.jobId}`);
    const messages = await this.stage.database.query<JobMessage>(
      `SELECT id, recipient_index AS "recipientIndex", status FROM messaging.message WHERE job_id = $1`,
      [this.jobId],
    );
    return {
      total: this.recipients,
      readings: last ? [...this.readings, last] : this.readings,
      recipients: await this.listed(),
      messages,
      requests: await this.stage.simulator.requestsFrom(firstRequest),
    };
  }

  async close(): Promise<void> {
    await this.balancer.close();
  }

  private async listed(): Promise<RecipientView[]> {
    const found: RecipientView[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: { items: RecipientView[]; nextCursor?: string } | null = await this.read(
        `${PATH}/${this.jobId}/recipients?limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      if (!page) throw new Error('the recipients cannot be read');
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    return found;
  }

  private async read<Body>(path: string): Promise<Body | null> {
    const answer = await this.ask('GET', path);
    return answer?.status === 200 ? (JSON.parse(answer.text) as Body) : null;
  }

  /** Null: no answer came. */
  private async ask(
    method: 'GET' | 'POST',
    path: string,
    body: string | null = null,
    more: Record<string, string> = {},
  ): Promise<BalancedAnswer | null> {
    const headers = { authorization: `Bearer ${this.sender.apiKey}`, 'content-type': 'application/json', ...more };
    // Whatever broke, it is asked again: the key and the job's id make that safe.
    return this.balancer.ask(method, path, headers, body).catch(() => null);
  }
}
