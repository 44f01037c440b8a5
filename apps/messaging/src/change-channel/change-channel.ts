import { Injectable } from '@nestjs/common';
import type { UserActor } from '@switchboard/contracts/grammar/audited-act';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { ChangeChannelRequest } from '@switchboard/contracts/messaging/channel-rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { Relay } from '@switchboard/outbox';
import { Database, type Transaction } from '@switchboard/postgres';
import { awaitClaims } from '../bulk-lane/channel-pace.repository.js';
import { AccessTokens } from '../channel/access-token.js';
import {
  appendChannelAct,
  formerChange,
  type ChangedChannelRow,
  type ChannelAct,
} from '../channel/append-channel-act.js';
import { displaced, lockChannels, requireRoom, updateChannels } from '../channel/channel-changes.js';
import type { Channel } from '../channel/channel.entity.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ShowToken } from '../channel/show-token.js';
import { markedAttemptsOfChannel } from '../dispatch/marked-attempts.repository.js';
import { waitForMarkedAttempts } from '../dispatch/wait-for-marked-attempts.js';

/** Changes channels, and disconnects them. */
@Injectable()
export class ChangeChannel {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly channels: ChannelRepository,
    private readonly tokens: AccessTokens,
    private readonly showToken: ShowToken,
  ) {}

  /** A new access token connects the channel again, once the upstream has taken it. @throws as `change-channel` */
  async execute(
    organizationId: string,
    request: ChangeChannelRequest,
    signal: AbortSignal,
  ): Promise<ChangedChannelRow> {
    const { id, accessToken } = request;
    if (accessToken !== null) {
      const channel = await this.channels.find(organizationId, id);
      if (!channel) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
      const { businessAccountId, phoneNumberId } = channel;
      await this.showToken.execute({ organizationId, businessAccountId, phoneNumberId, accessToken, signal });
    }
    return this.change(organizationId, id, { action: 'channel.changed', by: request.by }, (before, all) => {
      if (accessToken !== null && before.status !== 'CONNECTED') requireRoom(all, request.channelsMax);
      if (request.isDefault === false && before.isDefault) {
        const message = '`isDefault` must not be false for the default channel; make another one the default instead';
        throw new AppError(serviceErrors.VALIDATION_FAILED, message);
      }
      const after: Channel = {
        ...before,
        status: accessToken === null ? before.status : 'CONNECTED',
        isDefault: request.isDefault ?? before.isDefault,
        defaultRegion: request.defaultRegion ?? before.defaultRegion,
        optOutKeywords: request.optOutKeywords ?? before.optOutKeywords,
      };
      return { after, accessToken };
    });
  }

  /**
   * Sends that are asked for later are refused, and its access token is overwritten. Attempts that are marked are waited for, some 2.3 s at
   * most. One that a transaction is accepting at this moment is not seen, and may begin within 2 s: to see it, every send would have to
   * lock its channel.
   *
   * @param by absent: the caller is of the release before
   * @throws CHANNEL_NOT_FOUND; SERVICE_UNAVAILABLE when the caller's patience ended before
   */
  async disconnect(
    organizationId: string,
    id: string,
    signal: AbortSignal,
    by?: UserActor,
  ): Promise<ChangedChannelRow> {
    const changed = await this.change(organizationId, id, { action: 'channel.disconnected', by }, (before) => ({
      after: { ...before, status: 'DISCONNECTED' },
      accessToken: '',
    }));
    const key = { organizationId, channelId: id };
    await awaitClaims(this.database, key);
    await waitForMarkedAttempts(() => markedAttemptsOfChannel(this.database, key), signal);
    return changed;
  }

  private async change(
    organizationId: string,
    id: string,
    act: ChannelAct,
    decide: (before: Channel, all: readonly Channel[]) => { after: Channel; accessToken: string | null },
  ): Promise<ChangedChannelRow> {
    const run = async (tx: Transaction): Promise<ChangedChannelRow> => {
      const all = await lockChannels(tx, organizationId);
      const before = all.find((channel) => channel.id === id);
      if (!before) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
      const former = await formerChange(tx, act, before);
      if (former) return former;
      const { after, accessToken } = decide(before, all);
      const owner = { organizationId, channelId: id };
      const accessTokenSealed = accessToken === null ? null : await this.tokens.seal(tx, owner, accessToken);
      await updateChannels(tx, [...displaced(all, after), { channel: after, accessTokenSealed }]);
      appendChannelAct(tx, act, before, after, accessToken);
      return { before, after };
    };
    const changed = await this.database.transaction(run, { tenant: organizationId });
    this.relay.wake();
    return changed;
  }
}
