import { LockedLines } from '@switchboard/outbox';
import { isTimedOut } from '@switchboard/postgres';

interface OfTenant {
  readonly organizationId: string;
}

/**
 * Works for tenants one after the other, so that one whose rows are locked holds up no other: behind a failure its other items
 * wait, and it is left alone for a while, longer with each time.
 */
export class TenantByTenant {
  private readonly locked = new LockedLines();

  /** @param onFailed gets a tenant whose work failed where others' did not, or for a lock */
  constructor(private readonly onFailed: (organizationId: string, error: unknown) => void) {}

  /** Ids of the organizations that are left alone now: for a query that would find the same items again. */
  leftAlone(): string[] {
    return this.locked.paused();
  }

  /**
   * @returns how many items were worked for
   * @throws the first error when everything that was tried failed, and not for a lock: that is no matter of one tenant
   */
  async each<Item extends OfTenant>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<number> {
    const failed = new Map<string, unknown>();
    let done = 0;
    for (const item of items) {
      const { organizationId } = item;
      if (failed.has(organizationId) || this.locked.pauseMs(organizationId) > 0) continue;
      try {
        await work(item);
        this.locked.passed(organizationId);
        done++;
      } catch (error) {
        failed.set(organizationId, error);
      }
    }
    for (const [organizationId, error] of failed) {
      if (done === 0 && !isTimedOut(error)) throw error;
      this.locked.timedOut(organizationId, true);
      this.onFailed(organizationId, error);
    }
    return done;
  }
}
