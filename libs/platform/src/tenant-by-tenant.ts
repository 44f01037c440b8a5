import { LockedLines } from '@switchboard/outbox';
import { isTimedOut } from '@switchboard/postgres';

interface OfTenant {
  readonly organizationId: string;
}

/**
 * Works for tenants one after the other, or for some of them at once, so that one whose rows are locked holds up no other: behind a
 * failure its other items wait, and it is left alone for a while, longer with each time.
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
   * @param atOnce tenants that are worked for at once, at most; one's items always follow one another
   * @returns how many items were worked for
   * @throws the first error when everything that was tried failed, and not for a lock: that is no matter of one tenant
   */
  async each<Item extends OfTenant>(
    items: readonly Item[],
    work: (item: Item) => Promise<unknown>,
    atOnce = 1,
  ): Promise<number> {
    const failed = new Map<string, unknown>();
    let done = 0;
    const workForAll = async (strand: readonly Item[]): Promise<void> => {
      for (const item of strand) {
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
    };
    await Promise.all(strandsOf(items, atOnce).map(workForAll));
    for (const [organizationId, error] of failed) {
      if (done === 0 && !isTimedOut(error)) throw error;
      this.locked.timedOut(organizationId);
      this.onFailed(organizationId, error);
    }
    return done;
  }
}

/** The items in so many strands, each tenant's in one of them, in their order. */
function strandsOf<Item extends OfTenant>(items: readonly Item[], count: number): Item[][] {
  const strands = Array.from({ length: count }, (): Item[] => []);
  const strandOf = new Map<string, Item[] | undefined>();
  for (const item of items) {
    const { organizationId } = item;
    if (!strandOf.has(organizationId)) strandOf.set(organizationId, strands[strandOf.size % count]);
    strandOf.get(organizationId)?.push(item);
  }
  return strands;
}
