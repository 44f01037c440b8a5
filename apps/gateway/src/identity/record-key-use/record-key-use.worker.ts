import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database, unnestColumns } from '@switchboard/postgres';
import { CLOCK, LOG, PollingWorker, type Clock, type Log } from '@switchboard/platform';
import { ipAddressOf } from '../address/ip-address.policy.js';
import type { KeyUses } from '../key-use.contract.js';
import { recordKeyUses } from './key-use.repository.js';

interface KeyUse {
  readonly atMs: number;
  readonly address: string | null;
}

const FLUSH_INTERVAL_MS = 1_000;

/** Collects the uses of keys and writes the last of each key once a second; what a crash loses is one second of them. */
@Injectable()
export class RecordKeyUseWorker extends PollingWorker implements KeyUses, BeforeApplicationShutdown {
  private uses = new Map<string, KeyUse>();

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: FLUSH_INTERVAL_MS, failureEvent: 'key-uses.record-failed' });
  }

  record(keyId: string, address: string): void {
    this.uses.set(keyId, { atMs: this.clock.now(), address: ipAddressOf(address) });
  }

  /** Writes the rest: no request is left that could bring more. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.write();
  }

  protected async round(): Promise<boolean> {
    await this.write();
    return false;
  }

  /** Writes what was collected so far; what cannot be written is kept for the next round. */
  private async write(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = this.uses;
    this.uses = new Map();
    const columns = unnestColumns(
      [...uses],
      [([keyId]) => keyId, ([, { atMs }]) => new Date(atMs), ([, { address }]) => address],
    );
    try {
      await this.database.query(recordKeyUses, columns);
    } catch (error) {
      this.log.warn('key-uses.not-written', { reason: error instanceof Error ? error.message : String(error) });
      // Later uses win over these.
      this.uses = new Map([...uses, ...this.uses]);
    }
  }
}
