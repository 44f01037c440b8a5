import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@switchboard/postgres';
import { dataKeyOf, SecretBox, type MasterKeys, type SecretPlace } from '@switchboard/secrets';
import { MASTER_KEYS } from '../master-keys.contract.js';

/** Seals and opens the seeds of second factors; one that is sealed for a person opens for no other. Source: ADR 0041. */
@Injectable()
export class SecondFactorSeeds {
  private readonly box: SecretBox;

  constructor(@Inject(MASTER_KEYS) keys: MasterKeys) {
    this.box = new SecretBox(keys);
  }

  /** Seals a seed under the person's data key, which is made in this transaction where there is none. */
  async seal(tx: Transaction, userId: string, seed: string): Promise<Buffer> {
    return this.box.seal(seed, seedPlace(userId), await dataKeyOf(tx, this.box, userId));
  }

  /** @throws Error when it was sealed for another person or with another key, or was changed */
  open(sealed: Buffer, userId: string): string {
    return this.box.open(sealed, seedPlace(userId));
  }
}

/** Where a seed is stored. The person stands in for the organization: a second factor belongs to none. */
function seedPlace(userId: string): SecretPlace {
  return { organizationId: userId, table: 'second_factor', row: userId, column: 'seed_sealed' };
}
