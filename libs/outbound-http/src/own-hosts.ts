import { parseAddress } from './address.policy.js';
import type { RefusedHost } from './refused-hosts.policy.js';
import type { ResolveName } from './resolve-name.client.js';

/** A name is resolved again for a connection that comes so long after the last time. */
const KEPT_MS = 10_000;
/** A connection waits so long for it at most: then the addresses that are known decide. */
const WAIT_MS = 1_000;

/**
 * Our own hosts with the addresses that their names have now, so that no other name and no address leads to them.
 *
 * A name that does not resolve keeps the addresses that it had: a resolver that is away opens no way, and closes none.
 */
export class OwnHosts {
  private readonly names: readonly string[];
  private readonly addresses = new Map<string, readonly string[]>();
  /** Names that did not resolve the last time: no connection waits for them. */
  private readonly failed = new Set<string>();
  private resolving: Promise<void> | undefined;
  private freshUntilMs = -Infinity;
  private hosts: readonly RefusedHost[];

  constructor(
    private readonly refused: readonly RefusedHost[],
    private readonly resolve: ResolveName,
    private readonly keptMs = KEPT_MS,
  ) {
    const named = refused.filter(({ host, isSharedAddress }) => parseAddress(host) === null && !isSharedAddress);
    // `localhost` is judged as this machine, with all of its addresses.
    this.names = [...new Set(named.map(({ host }) => host))].filter((host) => host !== 'localhost');
    this.hosts = refused;
  }

  /** As they were given, and by the addresses that are known. */
  get known(): readonly RefusedHost[] {
    return this.hosts;
  }

  /** Resolves when the names have been resolved within the last 10 s, or after 1 s. */
  async refresh(): Promise<void> {
    if (this.names.length === 0 || performance.now() < this.freshUntilMs) return;
    this.resolving ??= this.resolveAll().finally(() => (this.resolving = undefined));
    const { promise: waited, resolve: giveUp } = Promise.withResolvers<void>();
    const timer = setTimeout(giveUp, WAIT_MS);
    await Promise.race([this.resolving, waited]);
    clearTimeout(timer);
  }

  private async resolveAll(): Promise<void> {
    const asked = this.names.map((name) => ({ isWaitedFor: !this.failed.has(name), end: this.resolveOne(name) }));
    await Promise.all(asked.map(({ isWaitedFor, end }) => isWaitedFor && end));
    this.freshUntilMs = performance.now() + this.keptMs;
  }

  private async resolveOne(name: string): Promise<void> {
    const addresses = await this.resolve(name, AbortSignal.timeout(KEPT_MS)).catch(() => []);
    if (addresses.length === 0) {
      this.failed.add(name);
      return;
    }
    this.failed.delete(name);
    this.addresses.set(name, addresses);
    this.hosts = this.refused.flatMap((own) => [own, ...this.addressesOf(own)]);
  }

  private addressesOf({ host, port, isSharedAddress }: RefusedHost): readonly RefusedHost[] {
    if (isSharedAddress) return [];
    return (this.addresses.get(host) ?? []).map((address) => ({ host: address, port }));
  }
}
