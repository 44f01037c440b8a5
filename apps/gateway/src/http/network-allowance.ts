import { networkOf } from '../network/network.policy.js';

/** How often something may happen. */
export interface Allowance {
  /** At once, for a network at rest. */
  readonly burst: number;
  /** Beyond the burst, one more per interval. */
  readonly intervalMs: number;
  /** What would have to wait longer is past the allowance. */
  readonly waitMaxMs: number;
}

const NETWORKS_MAX = 10_000;

/**
 * Counts what the networks of callers do, each against the same allowance (GCRA). Bounded in memory: of so many networks the
 * one that was counted least recently is forgotten.
 */
export class NetworkAllowance {
  /** When each network is at rest again; the least recent first. */
  private readonly atRestMs = new Map<string, number>();

  constructor(private readonly allowance: Allowance) {}

  /**
   * Counts one more, unless its wait is past the allowance anyway.
   *
   * @param nowMs monotonic
   * @returns how long it has to wait, in milliseconds; more than `waitMaxMs`: it is past the allowance
   */
  take(address: string, nowMs: number): number {
    const network = networkOf(address);
    const { burst, intervalMs, waitMaxMs } = this.allowance;
    const nextMs = Math.max(this.atRestMs.get(network) ?? 0, nowMs) + intervalMs;
    const waitMs = Math.max(0, nextMs - nowMs - burst * intervalMs);
    if (waitMs > waitMaxMs) return waitMs;
    this.atRestMs.delete(network);
    this.atRestMs.set(network, nextMs);
    const [oldest] = this.atRestMs.keys();
    if (this.atRestMs.size > NETWORKS_MAX && oldest !== undefined) this.atRestMs.delete(oldest);
    return waitMs;
  }

  /** How long one more would have to wait; counts nothing. */
  waitOf(address: string, nowMs: number): number {
    const { burst, intervalMs } = this.allowance;
    const atRestMs = this.atRestMs.get(networkOf(address));
    return atRestMs === undefined
      ? 0
      : Math.max(0, Math.max(atRestMs, nowMs) + intervalMs - nowMs - burst * intervalMs);
  }
}
