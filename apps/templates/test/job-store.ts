import { createHash } from 'node:crypto';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import type {
  BulkRecipient,
  CommitJobRequest,
  JobAction,
  JobKey,
  KeyedJob,
} from '@switchboard/contracts/templates/job-rpc';
import { Budget, type RpcCall } from '@switchboard/nats';
import { createLog, systemClock } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import type { ServiceDatabase, TestServers } from '@switchboard/testing';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { AcceptBatch } from '../src/commit-job/accept-batch.js';
import { BatchTargets } from '../src/commit-job/batch-target.js';
import { CommitJob } from '../src/commit-job/commit-job.js';
import { ControlJobHandler } from '../src/control-job/control-job.handler.js';
import { FeedJob } from '../src/feed-jobs/feed-job.js';
import { takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { CauseSignal } from '../src/job/cause-signal.js';
import { FeedSignal } from '../src/job/feed-signal.js';
import { jobView } from '../src/job/job-view.js';
import { JobRepository } from '../src/job/job.repository.js';
import { claimKey, freeKey } from '../src/job-key/job-key.repository.js';
import { KeyedJobs } from '../src/job-key/keyed-jobs.js';
import { LaneOrders } from '../src/lane/lane-orders.js';
import { RecipientPageRepository } from '../src/list-recipients/recipient-page.repository.js';
import { templatesMigrations } from '../src/migrations/all.js';
import { projectOrganizations } from '../src/organization/organization.repository.js';
import { applyOutcomes } from '../src/recipient/recipient-outcome.repository.js';
import type { Outcome } from '../src/recipient/recipient-status.policy.js';
import { StageRecipientsHandler } from '../src/stage-recipients/stage-recipients.handler.js';
import { StagedJobRepository } from '../src/staging/staged-job.repository.js';
import { TemplateRepository } from '../src/template/template.repository.js';
import { ReleaseSignal } from '../src/job/release-signal.js';
import { WatchCausesWorker } from '../src/watch-causes/watch-causes.worker.js';
import { FakeMessaging } from './fake-messaging.js';

const log = createLog('templates', { write: () => undefined });
/** What a call may take: no measure of speed. */
const PATIENT_MS = 120_000;
let numbers = 0;
let used: Promise<Record<'database' | 'superuser', Database>> | undefined;

/** Jobs on a real server, with a messaging service in memory. */
export class JobStore {
  readonly organizationId = newCuid();
  readonly channelId = newCuid();
  readonly templateId = newCuid();
  readonly messaging = new FakeMessaging();
  readonly jobs: JobRepository;
  readonly staged: StagedJobRepository;
  readonly control: ControlJobHandler;
  readonly orders: LaneOrders;
  readonly feedJob: FeedJob;
  readonly watch: WatchCausesWorker;
  private readonly commits: CommitJob;
  private readonly stageHandler: StageRecipientsHandler;
  private readonly pages: RecipientPageRepository;

  private constructor(
    readonly database: Database,
    readonly superuser: Database,
  ) {
    const signal = new FeedSignal();
    this.jobs = new JobRepository(database);
    this.staged = new StagedJobRepository(database);
    this.orders = new LaneOrders(database, this.messaging.client, new ReleaseSignal(), log);
    this.control = new ControlJobHandler(database, this.orders, signal, log);
    this.feedJob = new FeedJob(database, this.messaging.client, new TemplateRepository(database), systemClock, log);
    this.watch = new WatchCausesWorker(database, this.messaging.client, this.orders, signal, new CauseSignal(), log);
    this.commits = this.replica();
    this.stageHandler = new StageRecipientsHandler(database);
    this.pages = new RecipientPageRepository(database);
  }

  /** A fresh database with one organization, its connected channel and an approved template of two variables. */
  static async open(servers: TestServers): Promise<JobStore> {
    const prepared = await servers.serviceDatabase('templates', templatesMigrations);
    const store = new JobStore(await openDatabase(prepared), await prepared.superuser());
    await store.addChannel();
    await store.addTemplate();
    return store;
  }

  /** The same on one database of the file, emptied for each test: a new one, with connections, costs more than most of them. */
  static async openAnew(servers: TestServers): Promise<JobStore> {
    used ??= servers.serviceDatabase('templates', templatesMigrations).then(async (prepared) => ({
      database: await openDatabase(prepared),
      superuser: await prepared.superuser(),
    }));
    const { database, superuser } = await used;
    const store = new JobStore(database, superuser);
    // The migrations leave no rows but their own.
    const tables = await store.rows<{ name: string }>(
      `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
       WHERE nspname = 'templates' AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'migration%'`,
    );
    await store.change(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
    await store.addChannel();
    await store.addTemplate();
    return store;
  }

  /** What commits batches in another process. @param database with which it does */
  replica(database = this.database): CommitJob {
    const { jobs, staged, messaging } = this;
    const targets = new BatchTargets(new ChannelRepository(database), new TemplateRepository(database));
    const accept = new AcceptBatch(database, targets, messaging.client, systemClock, log);
    return new CommitJob(database, new KeyedJobs(database, jobs), staged, accept, new FeedSignal(), log);
  }

  /** Changes a row of the service's tables as an operator would. */
  async change(sql: string, values: readonly unknown[] = []): Promise<void> {
    await this.superuser.dataSource.query(sql, [...values]);
  }

  /** Rows of a query, as a superuser. */
  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.superuser.dataSource.query(sql, [...values]);
  }

  /** A batch of recipients that fit the template; a test names what matters. */
  batch(recipients: number | readonly BulkRecipient[], given: Partial<CommitJobRequest> = {}): CommitJobRequest {
    const list = typeof recipients === 'number' ? Array.from({ length: recipients }, () => recipient()) : recipients;
    const sha256 = createHash('sha256').update(newCuid()).digest('hex');
    return {
      jobId: newCuid(),
      key: { kind: 'explicit', sha256 },
      bodySha256: sha256,
      template: { id: this.templateId },
      messagingChannelId: this.channelId,
      throttlePerHour: null,
      scheduledAt: null,
      total: list.length,
      recipients: list,
      ...given,
    };
  }

  async commit(request: CommitJobRequest, by = this.commits): Promise<KeyedJob> {
    const budget = new Budget(PATIENT_MS);
    return by.commit(this.organizationId, request, budget).finally(() => budget.close());
  }

  /** Stages recipients in chunks of the given order and gives the batch that commits them. */
  async stage(recipients: readonly BulkRecipient[], chunk = 500): Promise<CommitJobRequest> {
    const request = this.batch(recipients, { recipients: null });
    const { jobId } = request;
    await this.staged.begin(this.organizationId, jobId, 4);
    const firsts = Array.from({ length: Math.ceil(recipients.length / chunk) }, (_, place) => place * chunk);
    await Promise.all(
      firsts.reverse().map((first) => this.stageChunk(jobId, first, recipients.slice(first, first + chunk))),
    );
    return request;
  }

  async stageChunk(jobId: string, firstIndex: number, recipients: readonly BulkRecipient[]): Promise<void> {
    await this.stageHandler.stage(this.rpc({ jobId, firstIndex, recipients }));
  }

  /** Whether another batch may have the key now. */
  async isKeyFree(key: JobKey): Promise<boolean> {
    const other = { ...this.batch(1), key, organizationId: this.organizationId };
    const isFree = await claimKey(this.database, other);
    if (isFree) await freeKey(this.database, other);
    return isFree;
  }

  async view(id: string): Promise<JobView> {
    const job = await this.jobs.find(this.organizationId, id);
    if (!job) throw new Error(`there is no job ${id}`);
    return jobView(job);
  }

  async recipients(jobId: string): Promise<RecipientView[]> {
    return this.pages.list(this.organizationId, jobId, { behind: -1, status: null, limit: 100_000 });
  }

  async act(id: string, action: JobAction): Promise<JobView> {
    return this.control.control(this.rpc({ id, action }));
  }

  /** An event of the gateway about what the organization pays for. */
  async subscribe(subscription: 'ACTIVE' | 'PAST_DUE', messagesPerMonth: number): Promise<void> {
    const { organizationId, database } = this;
    await projectOrganizations(database, [
      { organizationId, subscription, messagesPerMonth, sourceEventId: newCuid() },
    ]);
  }

  /** One look at every job that is due now. */
  async feed(): Promise<void> {
    for (const feed of await takeFeeds(this.database, 8)) await this.feedJob.feed(feed);
  }

  /** Makes every job that is being fed due at once. */
  async makeDue(): Promise<void> {
    await this.change('UPDATE templates.job_feed SET due_at = now() WHERE due_at IS NOT NULL');
  }

  /** Feeds until everything of the job lies in its lane or has begun. */
  async feedAll(jobId: string): Promise<void> {
    for (;;) {
      const [row] = await this.rows<{ fed: boolean }>(
        'SELECT f.due_at IS NULL AS fed FROM templates.job_feed f WHERE f.job_id = $1',
        [jobId],
      );
      if (row?.fed !== false) return;
      await this.feed();
      this.messaging.begin(jobId, 100_000);
      await this.makeDue();
    }
  }

  /** Events of messaging about recipients of the job. */
  async settle(
    jobId: string,
    outcomes: readonly (Outcome & { readonly index: number; readonly messageId?: string })[],
  ): Promise<void> {
    const { organizationId } = this;
    await this.database.transaction(async (tx) => {
      await applyOutcomes(
        tx,
        outcomes.map((outcome) => ({ messageId: null, ...outcome, organizationId, jobId })),
      );
    });
  }

  private rpc<Request>(request: Request): RpcCall<Request> {
    const principal = {
      organizationId: this.organizationId,
      actor: { type: 'key' as const, keyId: 'k' },
      scopes: null,
    };
    return { principal, request, budget: new Budget(PATIENT_MS) };
  }

  private async addChannel(): Promise<void> {
    await this.change(
      `INSERT INTO templates.channel (organization_id, id, business_account_id, phone, status, is_default, default_region,
         last_event_id) VALUES ($1, $2, '1022', '+12015550100', 'CONNECTED', true, 'US', $3)`,
      [this.organizationId, this.channelId, newCuid()],
    );
  }

  private async addTemplate(): Promise<void> {
    await this.change(
      `INSERT INTO templates.template (organization_id, id, business_account_id, name, language, status, status_at,
         upstream_template_id, category, parameter_format, components, search_name, updated_at)
       VALUES ($1, $2, '1022', 'offer', 'en_US', 'APPROVED', now(), 'u1', 'MARKETING', 'POSITIONAL', $3, 'OFFER', now())`,
      [this.organizationId, this.templateId, JSON.stringify([{ type: 'BODY', text: 'Hello {{1}}, {{2}}.' }])],
    );
  }
}

const openDatabase = (prepared: ServiceDatabase): Promise<Database> =>
  prepared.database({ statementWithinMs: PATIENT_MS });

const patientSql = statement(
  't.patient',
  `SELECT set_config('lock_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
);

/** Its database without the limits of waiting for a lock, and with one: a busy machine takes a while to see who waits. */
export function patient({ database }: JobStore): Database {
  const transaction: Database['transaction'] = (work, options) =>
    database.transaction(async (tx) => {
      await tx.query(patientSql, []);
      return work(tx);
    }, options);
  const query: Database['query'] = (sql, values) => transaction((tx) => tx.query(sql, values));
  return Object.assign(Object.create(database) as Database, { query, transaction });
}

/** A recipient with a number of its own that fits the template of a `JobStore`. */
export function recipient(given: Partial<BulkRecipient> = {}): BulkRecipient {
  const e164 = `+1415${5_000_000 + ++numbers}`;
  const whole = { to: e164, phone: { e164, subscriber: e164 }, variables: ['Ada', 'today'] };
  return { ...whole, clientReference: null, metadata: null, ...given };
}
