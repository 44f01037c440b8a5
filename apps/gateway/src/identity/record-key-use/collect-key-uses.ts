import { Inject, Injectable } from '@nestjs/common';
import { unnestColumns, type Transaction } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { ipAddressOf } from '../address/ip-address.policy.js';
import type { KeyUses } from '../key-use.contract.js';
import { recordKeyUses } from './key-use.repository.js';

interface KeyUse {
  readonly atMs: number;
  readonly address: string | null;
}

/** Collects the uses of keys, the last of each. */
@Injectable()
export class CollectKeyUses implements KeyUses {
  private uses = new Map<string, KeyUse>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  get isEmpty(): boolean {
    return this.uses.size === 0;
  }

  record(keyId: string, address: string): void {
    this.uses.set(keyId, { atMs: this.clock.now(), address: ipAddressOf(address) });
  }

  writeAtCommit(tx: Transaction): () => void {
    const { uses } = this;
    this.uses = new Map();
    const columns = unnestColumns(
      [...uses],
      [([keyId]) => keyId, ([, { atMs }]) => new Date(atMs), ([, { address }]) => address],
    );
    if (uses.size > 0) tx.atCommit(recordKeyUses, columns);
    // Later uses win over these.
    return () => void (this.uses = new Map([...uses, ...this.uses]));
  }
}
