import { Inject, Injectable } from '@nestjs/common';
import type { UserActor } from '@switchboard/contracts/grammar/audited-act';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { auditedTest, channelActed } from '@switchboard/contracts/messaging/channel-events';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ChannelTestResult } from '@switchboard/contracts/messaging/http';
import { appendAct, findAct, Relay } from '@switchboard/outbox';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import { AccessTokens, readToken, tokenUnreadable } from '../channel/access-token.js';
import { lockChannels } from '../channel/channel-changes.js';
import type { Channel } from '../channel/channel.entity.js';
import { ChannelRepository, disconnectChannels } from '../channel/channel.repository.js';
import type { LineOutcome } from '../upstream/line.js';
import { Upstream } from '../upstream/upstream.js';

const NO_TOKEN: LineOutcome = {
  state: 'refused',
  kind: 'rejected',
  code: 'UPSTREAM_NOT_CONNECTED',
  message: 'the channel has no access token; give it one to connect it again',
};

const UNREADABLE: LineOutcome = { state: 'refused', kind: 'rejected', ...tokenUnreadable };

/** Tries whether the upstream still takes the access token of a channel. */
@Injectable()
export class TestChannel {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly channels: ChannelRepository,
    private readonly tokens: AccessTokens,
    private readonly upstream: Upstream,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * A token that is refused disconnects the channel, as it would at a send.
   *
   * @param by absent: the caller is of the release before
   * @throws CHANNEL_NOT_FOUND
   */
  async execute(organizationId: string, id: string, signal: AbortSignal, by?: UserActor): Promise<ChannelTestResult> {
    const channel = await this.channels.find(organizationId, id);
    const accessTokenSealed = await this.channels.sealedToken(organizationId, id);
    if (!channel || !accessTokenSealed) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const startedMs = this.clock.monotonic();
    const accessToken = readToken(this.tokens, this.log, accessTokenSealed, { organizationId, channelId: id });
    const outcome = await this.lineOf(channel, accessToken, signal);
    const durationMs = Math.round(this.clock.monotonic() - startedMs);
    const connected = outcome.state === 'found' && channel.status === 'CONNECTED';
    const result = { connected, error: errorOf(outcome, channel.status), durationMs };
    const isRefused = outcome.state === 'refused' && outcome.kind === 'disconnected';
    const record = async (tx: Transaction): Promise<void> => {
      await lockChannels(tx, organizationId);
      if (isRefused) await disconnectChannels(tx, [{ organizationId, channelId: id, accessTokenSealed }]);
      if (await findAct(tx, by)) return;
      const act = { event: channelActed, organizationId, aggregateId: id, action: 'channel.tested' } as const;
      appendAct(tx, by, { ...act, ...auditedTest(id, result) });
    };
    await this.database.transaction(record, { tenant: organizationId });
    this.relay.wake();
    return result;
  }

  private async lineOf(
    { organizationId, businessAccountId, phoneNumberId }: Channel,
    accessToken: string | null,
    signal: AbortSignal,
  ): Promise<LineOutcome> {
    if (accessToken === null) return UNREADABLE;
    if (accessToken === '') return NO_TOKEN;
    return this.upstream.findLine({ organizationId, businessAccountId, phoneNumberId, accessToken, signal });
  }
}

function errorOf(outcome: LineOutcome, status: 'CONNECTED' | 'DISCONNECTED'): ChannelTestResult['error'] {
  if (outcome.state === 'refused') return { code: outcome.code, message: outcome.message };
  if (outcome.state === 'unavailable') return { code: 'UPSTREAM_UNREACHABLE', message: outcome.reason };
  if (status === 'CONNECTED') return null;
  return {
    code: 'UPSTREAM_NOT_CONNECTED',
    message: 'the channel is disconnected; give it an access token to connect it again',
  };
}
