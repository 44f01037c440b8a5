import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { invalidPhone, messagingErrors } from '@switchboard/contracts/messaging/errors';
import { getChannelRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, type Budget } from '@switchboard/nats';
import { needsRegion, parsePhone, type Phone } from '@switchboard/phone';
import { ChannelRepository } from './channel.repository.js';

/** Answers questions about channels from the projection, and asks messaging about those it does not know yet. */
@Injectable()
export class ChannelDirectory {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws CHANNEL_NOT_FOUND when messaging does not know it either; RpcUnanswered */
  async require(principal: Principal, channelId: string, budget: Budget): Promise<void> {
    if (!(await this.find(principal, channelId, budget))) {
      const message = '`messagingChannelId` names no channel of the organization';
      throw new AppError(messagingErrors.CHANNEL_NOT_FOUND, message);
    }
  }

  /**
   * A phone as people write it; national forms by the region of the channel, or of the default one.
   *
   * @throws INVALID_PHONE
   */
  async readPhone(
    principal: Principal,
    input: string,
    budget: Budget,
    channelId: string | null = null,
  ): Promise<Phone> {
    const region = needsRegion(input) ? (await this.find(principal, channelId, budget))?.defaultRegion : undefined;
    const phone = parsePhone(input, region ?? undefined);
    if (!phone) throw new AppError(messagingErrors.INVALID_PHONE, invalidPhone('phone'));
    return phone;
  }

  private async find(
    principal: Principal,
    channelId: string | null,
    budget: Budget,
  ): Promise<{ readonly defaultRegion: string | null } | null> {
    const { organizationId } = principal;
    const known = await this.channels.find(organizationId, channelId);
    if (known?.defaultRegion) return known;
    try {
      const limits = { budget, ownsRepeats: true };
      const { channel } = await this.rpc.call(getChannelRpc, principal, { id: channelId }, limits);
      const { id, isDefault, defaultRegion } = channel;
      await this.channels.project([{ organizationId, id, isDefault, defaultRegion, sourceEventId: '' }]);
      return channel;
    } catch (error) {
      if (error instanceof AppError && error.code === messagingErrors.CHANNEL_NOT_FOUND.code) return null;
      throw error;
    }
  }
}
