import { networkOf } from '../network/network.policy.js';
import { Allowances, type Allowance } from './allowances.js';

/** How often networks may do something, and for how long one may wait for it. */
export interface WaitingAllowance extends Allowance {
  /** What would have to wait longer is past the allowance. */
  readonly waitMaxMs: number;
}

/** Counts what the networks of callers do, each against the same allowance. */
export class NetworkAllowance {
  private readonly networks: Allowances;

  constructor(private readonly allowance: WaitingAllowance) {
    this.networks = new Allowances(allowance);
  }

  /**
   * Counts one more, unless its wait is past the allowance anyway.
   *
   * @param nowMs monotonic
   * @returns how long it has to wait, in milliseconds; more than `waitMaxMs`: it is past the allowance
   */
  take(address: string, nowMs: number): number {
    const network = networkOf(address);
    const waitMs = this.networks.waitMs(network, nowMs);
    if (waitMs <= this.allowance.waitMaxMs) this.networks.take(network, nowMs);
    return waitMs;
  }

  /** How long one more would have to wait; counts nothing. */
  waitOf(address: string, nowMs: number): number {
    return this.networks.waitMs(networkOf(address), nowMs);
  }
}
