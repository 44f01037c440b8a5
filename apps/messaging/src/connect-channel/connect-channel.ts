import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { ConnectChannelRequest } from '@switchboard/contracts/messaging/channel-rpc';
import { Relay } from '@switchboard/outbox';
import { regionOf } from '@switchboard/phone';
import { Database, isUniqueViolation, type Transaction } from '@switchboard/postgres';
import { AccessTokens } from '../channel/access-token.js';
import { appendChannelAct } from '../channel/append-channel-act.js';
import { displaced, insertChannel, lockChannels, requireRoom, updateChannels } from '../channel/channel-changes.js';
import type { Channel } from '../channel/channel.entity.js';
import { ShowToken } from '../channel/show-token.js';

/** Connects a line of the upstream as a channel. */
@Injectable()
export class ConnectChannel {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly tokens: AccessTokens,
    private readonly showToken: ShowToken,
  ) {}

  /** Idempotent by the channel's id. @throws as `connect-channel` */
  async execute(organizationId: string, request: ConnectChannelRequest, signal: AbortSignal): Promise<Channel> {
    const { businessAccountId, phoneNumberId, accessToken } = request;
    const asked = { organizationId, businessAccountId, phoneNumberId, accessToken, signal };
    const { phone, name } = await this.showToken.execute(asked);
    const defaultRegion = request.defaultRegion ?? regionOf(phone);
    if (defaultRegion === null) {
      const message = "`defaultRegion` must be given: the phone number's own region is not known";
      throw new AppError(serviceErrors.VALIDATION_FAILED, message);
    }
    const line = { organizationId, id: request.channelId, name, phone, provider: 'cloud', businessAccountId };
    const connected = { ...line, phoneNumberId, defaultRegion, status: 'CONNECTED', optOutKeywords: [] } as const;
    const stored = await this.store(connected, request).catch((error: unknown) => {
      throw isUniqueViolation(error) ? lineTaken() : error;
    });
    this.relay.wake();
    return stored;
  }

  private store(connected: Omit<Channel, 'isDefault'>, request: ConnectChannelRequest): Promise<Channel> {
    const { organizationId } = connected;
    const store = async (tx: Transaction): Promise<Channel> => {
      const channels = await lockChannels(tx, organizationId);
      const repeated = channels.find(({ id }) => id === connected.id);
      if (repeated) return repeated;
      if (channels.some(({ phoneNumberId }) => phoneNumberId === connected.phoneNumberId)) throw lineTaken();
      requireRoom(channels, request.channelsMax);
      const isDefault = request.isDefault || !channels.some((one) => one.isDefault);
      const channel = { ...connected, isDefault };
      await updateChannels(tx, displaced(channels, channel));
      const owner = { organizationId, channelId: channel.id };
      await insertChannel(tx, channel, await this.tokens.seal(tx, owner, request.accessToken));
      appendChannelAct(tx, { action: 'channel.connected', by: request.by }, null, channel, request.accessToken);
      return channel;
    };
    return this.database.transaction(store, { tenant: organizationId });
  }
}

/** The same for a line of another organization: no more is said of it. */
function lineTaken(): AppError {
  const message =
    'This `phoneNumberId` is a channel already; give a channel of yours a new `accessToken` to connect it again';
  return new AppError(serviceErrors.CONFLICT, message);
}
