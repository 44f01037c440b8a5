import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { BulkItem, SubmitBatchRequest, SubmittedBatch } from '@switchboard/contracts/messaging/bulk-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { Database, type Transaction } from '@switchboard/postgres';
import { keepMonthsOf } from '../keep-months/keep-months.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ChannelWakes } from '../bulk-lane/channel-wakes.batch.js';
import { insertItems } from '../bulk-lane/lane-item.repository.js';
import { openLane } from '../bulk-lane/lane.repository.js';
import { UnknownContactSignal } from '../bulk-lane/lane-signal.js';

/** As the contract says: a batch fits into one message of the broker. */
const ITEMS_MAX = 200;

/** Puts recipients of a job into its lane. */
@Injectable()
export class SubmitBatch {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelRepository,
    private readonly wakes: ChannelWakes,
    private readonly unknownContacts: UnknownContactSignal,
  ) {}

  /** Idempotent by recipient. @throws CHANNEL_NOT_FOUND, VALIDATION_FAILED */
  async execute(organizationId: string, request: SubmitBatchRequest): Promise<SubmittedBatch> {
    const { jobId, messagingChannelId: channelId, throttlePerHour, items } = request;
    if (items.length === 0 || items.length > ITEMS_MAX) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, `\`items\` must hold 1 to ${ITEMS_MAX} recipients`);
    }
    const channel = await this.channels.find(organizationId, channelId);
    if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const key = { organizationId, jobId };
    const moments = items.map(({ messageId }) => cuidTime(messageId));
    const submit = async (tx: Transaction): Promise<boolean> => {
      await keepMonthsOf(tx, moments);
      if (!(await openLane(tx, { ...key, channelId, throttlePerHour }))) return false;
      insertItems(tx, key, items.map(laneItemOf));
      return true;
    };
    const isOpen = await this.database.transaction(submit, { tenant: organizationId });
    if (!isOpen) return { accepted: 0, isWithdrawn: true };
    const lowestIndex = Math.min(...items.map(({ recipientIndex }) => recipientIndex));
    await this.wakes.execute({ organizationId, channelId }, { ...key, lowestIndex });
    this.unknownContacts.wake();
    return { accepted: items.length, isWithdrawn: false };
  }
}

function laneItemOf(item: BulkItem) {
  const { recipientIndex, messageId, to: phone, expiresAt, template, parameters, text, clientReference } = item;
  const metadata = Object.keys(item.metadata).length > 0 ? item.metadata : null;
  const content = { template, parameters, text, clientReference, metadata };
  return { recipientIndex, messageId, phone, content, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
