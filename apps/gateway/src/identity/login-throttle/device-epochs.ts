const ACCOUNTS_MAX = 10_000;

/**
 * The epoch of devices that this process has last read of each account. Epochs only grow: a mark of an earlier one is a
 * stranger's, without asking the database. Bounded in memory; an account that falls out is asked about again.
 */
export class DeviceEpochs {
  /** The one that was read longest ago first. */
  private readonly epochs = new Map<string, number>();

  /** Notes what was read of an account. */
  note(account: Buffer, epoch: number): void {
    const key = account.toString('base64');
    this.epochs.delete(key);
    this.epochs.set(key, epoch);
    const [oldest] = this.epochs.keys();
    if (this.epochs.size > ACCOUNTS_MAX && oldest !== undefined) this.epochs.delete(oldest);
  }

  /** Whether an epoch is known to be over. */
  isPast(account: Buffer, epoch: number): boolean {
    return epoch < (this.epochs.get(account.toString('base64')) ?? 0);
  }
}
