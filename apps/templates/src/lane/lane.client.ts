import { Injectable } from '@nestjs/common';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import {
  controlLaneRpc,
  laneStateRpc,
  releaseQuotaRpc,
  reserveQuotaRpc,
  skipRecipientsRpc,
  submitBatchRpc,
  type ControlledLane,
  type LaneState,
  type ReservedQuota,
  type ReserveQuotaRequest,
  type SkippedRecipients,
  type SkipRecipientsRequest,
  type SubmitBatchRequest,
  type SubmittedBatch,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { getQuotaRpc, type QuotaUse } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, type Budget, type RpcLimits } from '@switchboard/nats';
import type { LaneOrder } from './lane-order.repository.js';

/** Asks messaging, which owns the lanes of jobs and the quota, on behalf of the platform. */
@Injectable()
export class LaneClient {
  constructor(private readonly rpc: RpcClient) {}

  /** Hands recipients over; idempotent by message id. */
  async submit(organizationId: string, batch: SubmitBatchRequest): Promise<SubmittedBatch> {
    return this.rpc.call(submitBatchRpc, principalOf(organizationId), batch);
  }

  /** Skips recipients that may have been handed over, unless they were; idempotent. */
  async skip(organizationId: string, request: SkipRecipientsRequest): Promise<SkippedRecipients> {
    return this.rpc.call(skipRecipientsRpc, principalOf(organizationId), request);
  }

  /** Gives a lane an action; idempotent. */
  async control(organizationId: string, jobId: string, order: LaneOrder, budget?: Budget): Promise<ControlledLane> {
    const { action, reason: heldReason, keptReasons = [] } = order;
    const request = { jobId, action, heldReason, keptReasons };
    return this.rpc.call(controlLaneRpc, principalOf(organizationId), request, limitsOf(budget));
  }

  /** How far a lane is. */
  async state(organizationId: string, jobId: string): Promise<LaneState> {
    return this.rpc.call(laneStateRpc, principalOf(organizationId), { jobId });
  }

  /** Reserves a job's messages of a month, all or none; idempotent by job. */
  async reserve(organizationId: string, request: ReserveQuotaRequest, budget?: Budget): Promise<ReservedQuota> {
    return this.rpc.call(reserveQuotaRpc, principalOf(organizationId), request, limitsOf(budget));
  }

  /** Gives quota back, once for each recipient. @param recipients null: of a job that was never committed, all of it */
  async release(organizationId: string, jobId: string, recipients: readonly number[] | null): Promise<void> {
    await this.rpc.call(releaseQuotaRpc, principalOf(organizationId), { jobId, recipients });
  }

  /** What is used and reserved of the current month. */
  async quota(organizationId: string): Promise<QuotaUse> {
    return this.rpc.call(getQuotaRpc, principalOf(organizationId), {});
  }
}

/** A caller is given what fails, and asks no more. */
function limitsOf(budget: Budget | undefined): RpcLimits {
  return budget ? { budget, ownsRepeats: true } : {};
}

function principalOf(organizationId: string): ReturnType<typeof systemPrincipal> {
  return systemPrincipal(organizationId, 'jobs');
}
