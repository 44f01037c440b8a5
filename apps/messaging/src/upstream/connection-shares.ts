import { DynamicShares } from '@switchboard/nats';

/** So many connections one organization may have for each that is free. */
const FOR_EACH_FREE = 3;
/** And so many for its background, so that it always leaves some to its interactive sends. */
const BACKGROUND_FOR_EACH_FREE = 1;

/**
 * Divides the connections to the upstream among organizations: however slowly it answers one, another's first attempt
 * begins at once. The background of an organization has half of all alone, and its interactive sends find the others.
 */
export class ConnectionShares {
  private readonly shares: DynamicShares;

  constructor(connectionsMax: number) {
    this.shares = new DynamicShares(connectionsMax);
  }

  /** False when the organization has its share, or none is left; true must be followed by `release`. */
  take(organizationId: string, isBackground = false): boolean {
    return this.shares.take(organizationId, isBackground ? BACKGROUND_FOR_EACH_FREE : FOR_EACH_FREE);
  }

  release(organizationId: string): void {
    this.shares.release(organizationId);
  }
}
