import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import {
  controlLaneRpc,
  laneStateRpc,
  releaseQuotaRpc,
  reserveQuotaRpc,
  skipRecipientsRpc,
  submitBatchRpc,
  type BulkItem,
  type ControlLaneRequest,
  type LaneAction,
  type ReleaseQuotaRequest,
  type ReserveQuotaRequest,
  type SkipRecipientsRequest,
  type SubmitBatchRequest,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import type { RpcClient } from '@switchboard/nats';
import { LaneClient } from '../src/lane/lane.client.js';

/** What messaging keeps of one job, as far as the templates service sees it. */
export interface FakeLane {
  /** Every item that was ever submitted, by message id, in the order of their arrival. */
  readonly items: Map<string, BulkItem>;
  /** Message ids that have not begun. */
  readonly waiting: Set<string>;
  /** Message ids that will not be taken any more. */
  readonly skipped: Set<string>;
  readonly actions: LaneAction[];
  isWithdrawn: boolean;
  begun: number;
}

/** Messaging's lanes and quota as the contract says, in memory: items begin when a test says so. */
export class FakeMessaging {
  readonly lanes = new Map<string, FakeLane>();
  readonly reserved = new Map<string, number>();
  readonly released = new Map<string, Set<number>>();
  /** Attempts a second that a lane reports. */
  perSecond = 80;
  quotaLeft = Number.MAX_SAFE_INTEGER;
  /** Every request is refused. */
  isAway = false;
  /** Called when a batch was taken, before the answer leaves. */
  onSubmitted: () => Promise<void> = async () => undefined;

  /** Called before recipients are skipped. */
  onSkipping: () => Promise<void> = async () => undefined;

  /** Called before a lane takes an action. */
  onControlled: (jobId: string) => Promise<void> = async () => undefined;

  readonly client = new LaneClient({ call: this.call.bind(this) } as unknown as RpcClient);

  /** The lane of a job; made when first asked for. */
  lane(jobId: string): FakeLane {
    const lane = this.lanes.get(jobId) ?? {
      items: new Map<string, BulkItem>(),
      waiting: new Set<string>(),
      skipped: new Set<string>(),
      actions: [],
      isWithdrawn: false,
      begun: 0,
    };
    this.lanes.set(jobId, lane);
    return lane;
  }

  /** Begins so many attempts of a lane, in order. @returns their items */
  begin(jobId: string, count: number): BulkItem[] {
    const lane = this.lane(jobId);
    const ids = [...lane.waiting].slice(0, count);
    for (const id of ids) lane.waiting.delete(id);
    lane.begun += ids.length;
    return ids.flatMap((id) => lane.items.get(id) ?? []);
  }

  private async call(rpc: RpcDefinition, _principal: Principal, request: unknown): Promise<unknown> {
    if (this.isAway) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE);
    switch (rpc.subject) {
      case submitBatchRpc.subject:
        return this.submit(request as SubmitBatchRequest);
      case skipRecipientsRpc.subject:
        return this.skip(request as SkipRecipientsRequest);
      case controlLaneRpc.subject:
        return this.control(request as ControlLaneRequest);
      case laneStateRpc.subject:
        return this.state((request as { jobId: string }).jobId);
      case reserveQuotaRpc.subject:
        return this.reserve(request as ReserveQuotaRequest);
      case releaseQuotaRpc.subject:
        return this.release(request as ReleaseQuotaRequest);
      case getQuotaRpc.subject:
        return {
          month: new Date().toISOString().slice(0, 7),
          used: [...this.reserved.values()].reduce((sum, count) => sum + count, 0),
        };
      default:
        throw new Error(`messaging does not serve ${rpc.subject}`);
    }
  }

  private async submit({ jobId, items }: SubmitBatchRequest): Promise<unknown> {
    const lane = this.lane(jobId);
    if (lane.isWithdrawn) return { accepted: 0, isWithdrawn: true };
    for (const item of items) {
      if (lane.items.has(item.messageId) || lane.skipped.has(item.messageId)) continue;
      lane.items.set(item.messageId, item);
      lane.waiting.add(item.messageId);
    }
    await this.onSubmitted();
    return { accepted: items.length, isWithdrawn: false };
  }

  private async skip({ jobId, recipients }: SkipRecipientsRequest): Promise<unknown> {
    await this.onSkipping();
    const lane = this.lane(jobId);
    if (lane.isWithdrawn) return { skipped: [], isWithdrawn: true };
    const skipped = recipients.filter(({ messageId }) => !lane.items.has(messageId) && !lane.skipped.has(messageId));
    for (const { messageId } of skipped) lane.skipped.add(messageId);
    return { skipped: skipped.map(({ recipientIndex }) => recipientIndex), isWithdrawn: false };
  }

  private async control({ jobId, action }: ControlLaneRequest): Promise<unknown> {
    await this.onControlled(jobId);
    const lane = this.lane(jobId);
    lane.actions.push(action);
    if (action !== 'WITHDRAW') return { begun: lane.begun, withdrawn: [], isWithdrawn: lane.isWithdrawn };
    lane.isWithdrawn = true;
    const withdrawn = [...lane.waiting].flatMap((id) => lane.items.get(id)?.recipientIndex ?? []);
    lane.waiting.clear();
    return { begun: lane.begun, withdrawn, isWithdrawn: true };
  }

  private state(jobId: string): unknown {
    const { waiting, begun } = this.lane(jobId);
    const { perSecond } = this;
    return { waiting: waiting.size, repeating: 0, begun, isPaused: false, heldReason: null, perSecond };
  }

  private reserve({ jobId, count }: ReserveQuotaRequest): unknown {
    if (!this.reserved.has(jobId)) {
      if (count > this.quotaLeft) return { reserved: false, left: this.quotaLeft };
      this.quotaLeft -= count;
      this.reserved.set(jobId, count);
    }
    return { reserved: true, left: this.quotaLeft };
  }

  private release({ jobId, recipients }: ReleaseQuotaRequest): unknown {
    if (recipients === null) {
      this.quotaLeft += this.reserved.get(jobId) ?? 0;
      this.reserved.delete(jobId);
      return { released: 0 };
    }
    if (!this.reserved.has(jobId)) return { released: 0 };
    const released = this.released.get(jobId) ?? new Set<number>();
    this.released.set(jobId, released);
    for (const index of recipients) released.add(index);
    return { released: recipients.length };
  }
}
