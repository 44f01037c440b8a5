import { ClaimWindow } from './claim-window.js';

/** An organization whose share of connections was full has none of the claims for so long. */
const LEFT_OUT_MS = 250;
/** So long after that its full share says nothing of now. */
const FORGOTTEN_MS = 10_000;

/**
 * How many retries each organization may have under way. One whose share of the connections is full is left out for a moment, and
 * then has half as many, until they begin again: it costs few claims, and slows down no other.
 */
export class OrganizationWindows {
  /** Of those that were found full lately. */
  private readonly narrowed = new Map<string, { readonly window: ClaimWindow; leftOutUntilMs: number }>();

  constructor(private readonly max: number) {}

  /** @param nowMs monotonic */
  foundFull(organizationId: string, nowMs: number): void {
    const entry = this.narrowed.get(organizationId) ?? { window: new ClaimWindow(this.max), leftOutUntilMs: nowMs };
    entry.window.narrow();
    entry.leftOutUntilMs = nowMs + LEFT_OUT_MS;
    this.narrowed.set(organizationId, entry);
  }

  /** A retry of the organization found a connection. */
  begun(organizationId: string): void {
    this.narrowed.get(organizationId)?.window.widen();
  }

  /**
   * @param underway attempts under way by organization
   * @param nowMs monotonic
   * @returns places of each organization that are not to be had: by attempts, or because it has fewer now
   */
  taken(underway: ReadonlyMap<string, number>, nowMs: number): ReadonlyMap<string, number> {
    const taken = new Map(underway);
    for (const [organizationId, { window, leftOutUntilMs }] of this.narrowed) {
      if (nowMs - leftOutUntilMs > FORGOTTEN_MS) this.narrowed.delete(organizationId);
      else {
        const closed = nowMs < leftOutUntilMs ? this.max : this.max - window.size;
        taken.set(organizationId, (underway.get(organizationId) ?? 0) + closed);
      }
    }
    return taken;
  }
}
