import type { Log } from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox, type MasterKeys, type SecretPlace } from '@switchboard/secrets';

/** Error code, as the provider's, where the token of a channel was sealed with another key. */
export const TOKEN_UNREADABLE = 'TOKEN_UNREADABLE';
/** What goes with it. */
export const tokenUnreadable = {
  code: TOKEN_UNREADABLE,
  message: 'the access token of the channel cannot be read; connect the channel again',
} as const;

/** Names a channel. */
export interface TokenOwner {
  readonly organizationId: string;
  readonly channelId: string;
}

/** Seals and opens the access tokens of channels; one that is sealed for a channel opens for no other. Source: ADR 0041. */
export class AccessTokens {
  private readonly box: SecretBox;

  /** Tokens of earlier versions open too: they are sealed with a master key, for no channel. */
  constructor(keys: MasterKeys) {
    this.box = new SecretBox(keys, { readsUnbound: true });
  }

  /** Seals a token under the organization's data key, which is made in this transaction where there is none. */
  async seal(tx: Transaction, owner: TokenOwner, token: string): Promise<Buffer> {
    return this.box.seal(token, accessTokenPlace(owner), await dataKeyOf(tx, this.box, owner.organizationId));
  }

  /** @throws Error when the token was sealed for another channel or with another key, or was changed */
  open(sealed: Buffer, owner: TokenOwner): string {
    return this.box.open(sealed, accessTokenPlace(owner));
  }
}

/** A channel's token, or null, and a line in the log, when it was sealed with another key. */
export function readToken(tokens: AccessTokens, log: Log, sealed: Buffer, owner: TokenOwner): string | null {
  try {
    return tokens.open(sealed, owner);
  } catch (error) {
    log.error('channel.token-unreadable', error, { channelId: owner.channelId });
    return null;
  }
}

/** Where a channel's token is stored. */
export function accessTokenPlace({ organizationId, channelId }: TokenOwner): SecretPlace {
  return { organizationId, table: 'channel', row: channelId, column: 'access_token_sealed' };
}
