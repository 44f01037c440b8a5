import type { Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox, type MasterKeys, type SecretPlace } from '@switchboard/secrets';

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
    this.box = new SecretBox(keys, true);
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

/** Where a channel's token is stored. */
export function accessTokenPlace({ organizationId, channelId }: TokenOwner): SecretPlace {
  return { organizationId, table: 'channel', row: channelId, column: 'access_token_sealed' };
}
