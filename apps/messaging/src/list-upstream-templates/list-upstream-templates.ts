import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { UpstreamTemplatePage } from '@switchboard/contracts/messaging/template-rpc';
import { LOG, type Log } from '@switchboard/platform';
import { AccessTokens, readToken } from '../channel/access-token.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import type { TemplateListOutcome } from '../upstream/template-list.js';
import { Upstream } from '../upstream/upstream.js';

type Listed = Extract<TemplateListOutcome, { state: 'listed' }>;

/** Templates of a page, and of fewer when they are large: a message of the broker holds 1 MiB. */
const PAGE_SIZES = [50, 10, 1];
const PAGE_BYTES_MAX = 700_000;
/** So many refused tokens of an account say that the next one is refused as well. */
const CHANNELS_MAX = 3;
const UNAVAILABLE_RETRY_S = 30;

/** Reads the upstream's list of an account's templates by the token of one of its channels. */
@Injectable()
export class ListUpstreamTemplates {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly tokens: AccessTokens,
    private readonly upstream: Upstream,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws CHANNEL_NOT_FOUND; UPSTREAM_NOT_CONNECTED; UPSTREAM_REJECTED; SERVICE_UNAVAILABLE */
  async execute(
    organizationId: string,
    { businessAccountId, after }: { readonly businessAccountId: string; readonly after: string | null },
    signal: AbortSignal,
  ): Promise<UpstreamTemplatePage> {
    const channels = await this.channels.ofAccount(organizationId, businessAccountId);
    if (channels.length === 0) throw new AppError(messagingErrors.CHANNEL_NOT_FOUND);
    const connected = channels.filter(({ status }) => status === 'CONNECTED').slice(0, CHANNELS_MAX);
    for (const channel of connected) {
      const owner = { organizationId, channelId: channel.id };
      const accessToken = readToken(this.tokens, this.log, channel.accessTokenSealed, owner);
      if (accessToken === null) continue;
      const page = await this.read({ organizationId, businessAccountId, accessToken, after, signal });
      if (page) return page;
    }
    throw new AppError(messagingErrors.UPSTREAM_NOT_CONNECTED);
  }

  /** Null when the token was refused: that of another channel may not be. */
  private async read(
    request: Omit<Parameters<Upstream['listTemplates']>[0], 'limit'>,
  ): Promise<UpstreamTemplatePage | null> {
    for (const limit of PAGE_SIZES) {
      const outcome = await this.upstream.listTemplates({ ...request, limit });
      if (outcome.state === 'refused' && outcome.kind === 'disconnected') return null;
      if (outcome.state === 'refused') {
        const message = `The upstream provider refused the list of templates (${outcome.code}: ${outcome.message})`;
        throw new AppError(messagingErrors.UPSTREAM_REJECTED, message);
      }
      if (outcome.state === 'unavailable') {
        this.log.warn('template-list.unavailable', { reason: outcome.reason });
        throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: UNAVAILABLE_RETRY_S });
      }
      if (outcome.bytes <= PAGE_BYTES_MAX || limit === PAGE_SIZES.at(-1)) return pageOf(outcome);
    }
    return null;
  }
}

function pageOf({ templates, next, asOfMs }: Listed): UpstreamTemplatePage {
  return { templates, next, asOf: new Date(asOfMs).toISOString() };
}
