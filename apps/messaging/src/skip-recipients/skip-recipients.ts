import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { SkippedRecipients, SkipRecipientsRequest } from '@switchboard/contracts/messaging/bulk-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { Relay } from '@switchboard/outbox';
import { Database, type Transaction } from '@switchboard/postgres';
import { skipUnfit } from '../bulk-lane/lane-item.repository.js';
import { openLane } from '../bulk-lane/lane.repository.js';
import { ChannelRepository } from '../channel/channel.repository.js';

/** As the contract says. */
const RECIPIENTS_MAX = 200;

/** Skips recipients of a job that no batch has brought into its lane. */
@Injectable()
export class SkipRecipients {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelRepository,
    private readonly relay: Relay,
  ) {}

  /** Idempotent by recipient; a batch that is being stored is waited for. @throws CHANNEL_NOT_FOUND, VALIDATION_FAILED */
  async execute(organizationId: string, request: SkipRecipientsRequest): Promise<SkippedRecipients> {
    const { jobId, messagingChannelId: channelId, throttlePerHour, recipients } = request;
    if (recipients.length === 0 || recipients.length > RECIPIENTS_MAX) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, `\`recipients\` must hold 1 to ${RECIPIENTS_MAX}`);
    }
    const channel = await this.channels.find(organizationId, channelId);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const key = { organizationId, jobId };
    const skip = async (tx: Transaction): Promise<SkippedRecipients> => {
      if (!(await openLane(tx, { ...key, channelId, throttlePerHour }))) return { skipped: [], isWithdrawn: true };
      const skipped = await skipUnfit(tx, key, recipients);
      return { skipped: skipped.map(({ recipientIndex }) => recipientIndex), isWithdrawn: false };
    };
    const answer = await this.database.transaction(skip, { tenant: organizationId });
    this.relay.wake();
    return answer;
  }
}
