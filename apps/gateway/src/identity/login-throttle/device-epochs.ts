import { RecentMap } from '@switchboard/timing';

const ACCOUNTS_MAX = 10_000;

/**
 * The epoch of devices that this process has last read of each account. Epochs only grow: a mark of an earlier one is a
 * stranger's, without asking the database. Bounded in memory; an account that falls out is asked about again.
 */
export class DeviceEpochs {
  private readonly epochs = new RecentMap<string, number>(ACCOUNTS_MAX);

  /** Notes what was read of an account. */
  note(account: Buffer, epoch: number): void {
    this.epochs.set(account.toString('base64'), epoch);
  }

  /** Whether an epoch is known to be over. */
  isPast(account: Buffer, epoch: number): boolean {
    return epoch < (this.epochs.get(account.toString('base64')) ?? 0);
  }
}
