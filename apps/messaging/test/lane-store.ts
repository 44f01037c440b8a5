import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { BulkItem, ControlLaneRequest } from '@switchboard/contracts/messaging/bulk-rpc';
import { claimLanes, type LaneAttempt, type LaneClaim } from '../src/begin-bulk/claim-lanes.js';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { ControlLane } from '../src/control-lane/control-lane.js';
import { ChannelWakes } from '../src/bulk-lane/channel-wakes.batch.js';
import { LaneSignal, UnknownContactSignal } from '../src/bulk-lane/lane-signal.js';
import { SkipRecipients } from '../src/skip-recipients/skip-recipients.js';
import { SubmitBatch } from '../src/submit-batch/submit-batch.js';
import type { MessagingStore, Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

/** A job of a sender. */
export interface Job {
  readonly sender: Sender;
  readonly jobId: string;
  readonly throttlePerHour: number | null;
  /** One for each contact of the sender. */
  readonly items: readonly BulkItem[];
}

const template = { id: 'ctemplate0', name: 'order_shipped', language: 'en_US' };

/** What is done to lanes, step by step. */
export class LaneStore {
  private readonly submitBatch: SubmitBatch;
  private readonly skipRecipients: SkipRecipients;
  private readonly controlLane: ControlLane;

  constructor(private readonly store: MessagingStore) {
    const wakes = new ChannelWakes(store.database, new LaneSignal());
    const channels = new ChannelRepository(store.database);
    this.submitBatch = new SubmitBatch(store.database, channels, wakes, new UnknownContactSignal());
    this.skipRecipients = new SkipRecipients(store.database, channels, silentRelay);
    this.controlLane = new ControlLane(store.database, silentRelay, wakes);
  }

  /** For a test in which nothing that an earlier one left is looked at or sent. */
  static async anew(store: MessagingStore): Promise<LaneStore> {
    await store.forgetDispatches();
    const lanes = new LaneStore(store);
    await lanes.forgetOthers();
    return lanes;
  }

  /** A job for every contact of the sender, not submitted. */
  job(sender: Sender, throttlePerHour: number | null = null): Job {
    const items = sender.contacts.map(({ phone }, recipientIndex) => ({
      messageId: newCuid(),
      recipientIndex,
      to: phone,
      template,
      parameters: { header: null, body: [{ name: null, text: 'Ada' }], buttons: [] },
      text: 'Hello Ada',
      clientReference: null,
      metadata: {},
      expiresAt: null,
    }));
    return { sender, jobId: newCuid(), throttlePerHour, items };
  }

  submit({ sender, jobId, throttlePerHour, items }: Job, part: readonly BulkItem[] = items) {
    const { organizationId, channelId: messagingChannelId } = sender;
    return this.submitBatch.execute(organizationId, { jobId, messagingChannelId, throttlePerHour, items: part });
  }

  skip({ sender, jobId, throttlePerHour, items }: Job) {
    const { organizationId, channelId: messagingChannelId } = sender;
    const recipients = items.map(({ recipientIndex, messageId }) => ({ recipientIndex, messageId }));
    return this.skipRecipients.execute(organizationId, { jobId, messagingChannelId, throttlePerHour, recipients });
  }

  control(
    { sender, jobId }: Job,
    action: ControlLaneRequest['action'],
    heldReason: ControlLaneRequest['heldReason'] = null,
    keptReasons: NonNullable<ControlLaneRequest['keptReasons']> = [],
  ) {
    return this.controlLane.execute(sender.organizationId, { jobId, action, heldReason, keptReasons }, never);
  }

  /** Claims what is due, of any channel. @param owner the process that does */
  claim(owner = 'a process', attemptsMax = 200, lease = newCuid()): Promise<LaneClaim> {
    const spec = { owner, lease, channelsMax: 32, attemptsMax };
    return this.store.database.transaction((tx) => claimLanes(tx, spec));
  }

  /** Makes all of the past so much longer ago: as if that time had passed. */
  async letPass(ms: number): Promise<void> {
    const by = `make_interval(secs => ${ms / 1_000})`;
    await this
      .run(`UPDATE messaging.channel_pace SET next_begin_at = next_begin_at - ${by}, owned_until = owned_until - ${by},
      share_changed_at = share_changed_at - ${by}, look_at = CASE WHEN look_at = 'infinity' THEN look_at ELSE look_at - ${by} END`);
    await this.run(`UPDATE messaging.bulk_lane SET next_begin_at = next_begin_at - ${by}`);
    await this.run(`UPDATE messaging.attempt_begun SET begun_at = begun_at - ${by}`);
    await this.run(`UPDATE messaging.dispatch SET due_at = due_at - ${by} WHERE state = 'PACED'`);
  }

  /** The times for which the job's attempts were claimed, in milliseconds, rising. */
  async begun({ jobId }: Job): Promise<number[]> {
    const rows: { ms: number }[] = await this.run(
      'SELECT (extract(epoch FROM begun_at) * 1000)::float8 AS ms FROM messaging.attempt_begun WHERE job_id = $1 ORDER BY 1',
      [jobId],
    );
    return rows.map(({ ms }) => ms);
  }

  /** How many recipients of the job are in each state. */
  async states({ jobId }: Job): Promise<Record<string, number>> {
    const rows: { state: string; count: number }[] = await this.run(
      'SELECT state, count(*)::int AS count FROM messaging.bulk_item WHERE job_id = $1 GROUP BY 1',
      [jobId],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  /** Has every channel looked at by the next claim. */
  async look(): Promise<void> {
    await this.run('UPDATE messaging.channel_pace SET look_at = now()');
  }

  async setRate({ channelId, organizationId }: Sender, perSecond: number): Promise<void> {
    await this.run(
      `INSERT INTO messaging.channel_pace (organization_id, channel_id, per_second) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, channel_id) DO UPDATE SET per_second = excluded.per_second`,
      [organizationId, channelId, perSecond],
    );
  }

  /** Has no channel looked at that an earlier test left something in. */
  async forgetOthers(): Promise<void> {
    await this.run("UPDATE messaging.channel_pace SET look_at = 'infinity'");
  }

  /** Has what a channel may begin next wait an hour longer, while its next look is due. */
  async postpone({ channelId, organizationId }: Sender): Promise<void> {
    await this.run(
      `UPDATE messaging.channel_pace SET next_begin_at = next_begin_at + interval '1 hour', look_at = now()
       WHERE organization_id = $1 AND channel_id = $2`,
      [organizationId, channelId],
    );
  }

  async run<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.store.superuser.dataSource.query(sql, values);
  }
}

const never = new AbortController().signal;

/** The claimed attempts of a job. */
export function attemptsOf(claim: LaneClaim, { jobId }: Job): LaneAttempt[] {
  return claim.attempts.filter(({ lane }) => lane.jobId === jobId);
}
