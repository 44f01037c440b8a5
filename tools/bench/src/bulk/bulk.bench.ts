import { setTimeout as wait } from 'node:timers/promises';
import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';
import { startPacedLoad } from '../fairness/paced-load.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { runLoad, type LoadRequest } from '../load.js';
import { messageRequest, recipients } from '../message-request.js';
import { residentBytes } from '../memory.js';
import { median, percentile } from '../percentile.js';
import { withStack } from '../with-stack.js';
import { batchOf, BulkApi } from './bulk-api.js';
import type { BulkRow } from './bulk-row.js';
import { benchManyJobs } from './many-jobs.js';

/** How large, and how often. */
export interface BulkBenchOptions {
  /** Recipients of a large batch. */
  readonly recipients: number;
  readonly drained: number;
  /** Small jobs of one organization. */
  readonly jobs: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

const TOMORROW = (): string => new Date(Date.now() + 86_400_000).toISOString();
const INTERACTIVE = { perSecond: 20, connections: 8 };
/** A round of interactive sends lasts so many times as another, so that its p99 is of some hundred. */
const INTERACTIVE_ROUNDS = 2;
const BODIES = 10;
const BODY_BYTES = 31_500_000;
const MEGABYTE = 1_048_576;

/** Measures bulk sends against what is least that they could cost. */
export async function benchBulk(options: BulkBenchOptions): Promise<BulkRow[]> {
  return withStack(options.onLine, async (stack, client) => {
    const { baseUrl = '', organizations = [] } = stack.devJson;
    for (const { id } of organizations) await liftRateLimit(client, id);
    await client.query(`UPDATE gateway.organization SET plan = 'SCALE', messages_per_month = 1000000000`);
    const apis = organizations.map(({ apiKey }) => new BulkApi(baseUrl, apiKey));
    const bench = new BulkBench(stack, client, apis, options);
    await bench.warmUp();
    const rows = [await bench.bodies(), await bench.accept(), await bench.drain(), ...(await bench.nextToJob())];
    rows.push(...(await bench.nextToManyJobs()));
    await Promise.all(apis.map((api) => api.close()));
    return rows;
  });
}

class BulkBench {
  private readonly phones = recipients(200);

  constructor(
    private readonly stack: RunningStack,
    private readonly client: pg.Client,
    private readonly apis: readonly BulkApi[],
    private readonly options: BulkBenchOptions,
  ) {}

  async warmUp(): Promise<void> {
    for (const api of this.apis) await api.drained((await api.send(batchOf(20))).id);
  }

  /** Ten bodies of 32 MB at once, at most four of an organization: what the gateway's memory grows by. */
  async bodies(): Promise<BulkRow> {
    const pid = this.stack.devJson.processes.find(({ name }) => name === 'gateway')?.pid ?? 0;
    const body = batchOf(this.options.recipients, {
      padding: Math.max(0, Math.floor(BODY_BYTES / this.options.recipients) - 50),
      scheduledAt: TOMORROW(),
    });
    const before = residentBytes(pid);
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), 20);
    const startedMs = performance.now();
    // Each a little different: twins would be one job.
    const sending = Promise.all(
      Array.from({ length: BODIES }, async (_none, index) => {
        const api = this.api(index % this.apis.length);
        const { id } = await api.send(Buffer.concat([body, Buffer.from(' '.repeat(index))]));
        return { api, id };
      }),
    );
    const sent = await sending.finally(() => clearInterval(timer));
    const seconds = (performance.now() - startedMs) / 1_000;
    for (const { api, id } of sent) await api.cancel(id);
    return {
      name: `${BODIES} bodies of ${(body.length / MEGABYTE).toFixed(1)} MiB at once: memory of the gateway`,
      ours: `${((peak - before) / MEGABYTE).toFixed(0)} MiB more, all accepted within ${seconds.toFixed(1)} s`,
      against: `${(before / MEGABYTE).toFixed(0)} MiB before`,
      ratio: '',
      bar: '≤ 100 MB',
    };
  }

  /** The 202 of a large batch, against the bare insert of as many rows. */
  async accept(): Promise<BulkRow> {
    const { recipients, rounds } = this.options;
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      bare.push(await this.bareInsert(recipients));
      const { id, tookMs } = await this.api(0).send(batchOf(recipients, { scheduledAt: TOMORROW() }));
      ours.push(tookMs);
      await this.api(0).cancel(id);
      this.options.onLine(`202 after ${tookMs.toFixed(0)} ms, bare insert ${bare.at(-1)?.toFixed(0)} ms`);
    }
    return {
      name: `202 for ${recipients} recipients, against the bare insert`,
      ours: `${median(ours).toFixed(0)} ms`,
      against: `${median(bare).toFixed(0)} ms`,
      ratio: (median(ours) / median(bare)).toFixed(2),
      bar: '≤ 5',
    };
  }

  /** What a channel without a limit drains a second, against single sends over 32 connections. */
  async drain(): Promise<BulkRow> {
    await this.pace(0, 100_000);
    const single = await runLoad({
      url: this.stack.devJson.baseUrl ?? '',
      connections: 32,
      durationMs: this.options.roundMs,
      next: () => this.singleSend(),
    });
    const startedMs = performance.now();
    const { id } = await this.api(0).send(batchOf(this.options.drained));
    await this.api(0).drained(id);
    const perSecond = this.options.drained / ((performance.now() - startedMs) / 1_000);
    return {
      name: `${this.options.drained} recipients without a throttle, 202 included, against single sends`,
      ours: `${perSecond.toFixed(0)} a second`,
      against: `${single.perSecond.toFixed(0)} a second`,
      ratio: (perSecond / single.perSecond).toFixed(2),
      bar: '≥ 1.5',
    };
  }

  /** While a job runs at the channel's default rate: interactive sends, and ten recipients of another organization. */
  async nextToJob(): Promise<BulkRow[]> {
    await this.pace(0, null);
    const few = async (): Promise<number> => {
      const startedMs = performance.now();
      await this.api(1).drained((await this.api(1).send(batchOf(10))).id);
      return performance.now() - startedMs;
    };
    const idle: number[] = [];
    const under: number[] = [];
    const alone: number[] = [];
    const next: number[] = [];
    for (let round = 0; round < this.options.rounds; round++) {
      const before = await this.interactive();
      alone.push(await few());
      const { id } = await this.api(0).send(batchOf(this.options.recipients));
      const meanwhile = await this.interactive();
      next.push(await few());
      await this.api(0).cancel(id);
      idle.push(...before);
      under.push(...meanwhile);
      const [beforeMs, meanwhileMs] = [percentile(before, 0.99), percentile(meanwhile, 0.99)];
      this.options.onLine(`p99 ${beforeMs.toFixed(1)} ms idle, ${meanwhileMs.toFixed(1)} ms next to a job`);
    }
    // Of all rounds together: of one round it is one of its few worst.
    const [idleMs, underMs] = [percentile(idle, 0.99), percentile(under, 0.99)];
    return [
      {
        name: `interactive sends next to a job of ${this.options.recipients} on their channel, p99`,
        ours: `${underMs.toFixed(1)} ms`,
        against: `${idleMs.toFixed(1)} ms idle`,
        ratio: (underMs / idleMs).toFixed(2),
        bar: '≤ 1.5',
      },
      {
        name: 'ten recipients next to that job, of another organization, to the end',
        ours: `${median(next).toFixed(0)} ms`,
        against: `${median(alone).toFixed(0)} ms alone`,
        ratio: (median(next) / median(alone)).toFixed(2),
        bar: '≤ 1.2, or 1 s more',
      },
    ];
  }

  async nextToManyJobs(): Promise<BulkRow[]> {
    const { jobs, rounds, onLine } = this.options;
    const sends = (): Promise<readonly number[]> => this.interactive(1);
    return benchManyJobs({ crowd: this.api(0), other: this.api(1), sends, jobs, rounds, onLine });
  }

  private async interactive(organization = 0): Promise<readonly number[]> {
    const { apiKey = '' } = this.stack.devJson.organizations?.[organization] ?? {};
    const url = this.stack.devJson.baseUrl ?? '';
    const load = startPacedLoad({ url, apiKey, recipients: this.phones, ...INTERACTIVE });
    await wait(this.options.roundMs * INTERACTIVE_ROUNDS);
    return (await load.stop()).latenciesMs;
  }

  private singleSend(): LoadRequest {
    const [first] = this.stack.devJson.organizations ?? [];
    return messageRequest(first?.apiKey ?? '', this.phones[Math.floor(Math.random() * this.phones.length)]);
  }

  /** @param perSecond null: the default */
  private async pace(organization: number, perSecond: number | null): Promise<void> {
    await this.client.query(
      `INSERT INTO messaging.channel_pace (organization_id, channel_id, per_second)
       SELECT organization_id, id, $2 FROM messaging.channel WHERE organization_id = $1
       ON CONFLICT (organization_id, channel_id) DO UPDATE SET per_second = excluded.per_second`,
      [this.stack.devJson.organizations?.[organization]?.id, perSecond],
    );
  }

  private async bareInsert(count: number): Promise<number> {
    await this.client.query(
      `CREATE TABLE IF NOT EXISTS public.bench_recipient (job_id text, index integer, phone text, variables jsonb,
         PRIMARY KEY (job_id, index))`,
    );
    const indexes = Array.from({ length: count }, (_none, index) => index);
    const phones = indexes.map((index) => `+1415${2_000_000 + index}`);
    const startedMs = performance.now();
    await this.client.query(
      `INSERT INTO public.bench_recipient (job_id, index, phone) SELECT $1, * FROM unnest($2::integer[], $3::text[])
       ON CONFLICT DO NOTHING`,
      [`bench ${startedMs}`, indexes, phones],
    );
    return performance.now() - startedMs;
  }

  private api(index: number): BulkApi {
    const api = this.apis[index];
    if (!api) throw new Error('the stack has too few organizations');
    return api;
  }
}
