import { isAllowedAddress, parseAddress } from './address.policy.js';
import { NameServersSilent } from './name-servers.js';
import { OutboundRefusal } from './outbound.js';
import { OwnHosts } from './own-hosts.js';
import { isRefusedName, refusedAddresses, type RefusedHost } from './refused-hosts.policy.js';
import type { ResolveName } from './resolve-name.client.js';

/** A name with more addresses leads nowhere: each is judged, and a receiver could have thousands of them judged for each connection. */
const ADDRESSES_MAX = 256;

/** Where requests may go. */
export interface GuardOptions {
  /** Private and loopback addresses and http:// too; addresses of metadata services stay refused. */
  readonly allowPrivate: boolean;
  /** Our own hosts and ports. */
  readonly refusedHosts: readonly RefusedHost[];
  readonly resolve: ResolveName;
  /** Of our own hosts, whose names say nothing of how others are answered; default: `resolve`. */
  readonly resolveOwn?: ResolveName;
}

/** Decides where a request may connect to, at registration and at each connection alike. */
export class Guard {
  private readonly own: OwnHosts;

  constructor(private readonly options: GuardOptions) {
    this.own = new OwnHosts(options.refusedHosts, options.resolveOwn ?? options.resolve);
  }

  /**
   * The addresses of a host, each of which is allowed. A name is resolved once; the caller connects to one of these and does
   * not resolve it again.
   *
   * @param host a name or an address, without brackets.
   * @throws OutboundRefusal when the host has no address, or one that is refused
   */
  async addressesOf(host: string, port: number, signal: AbortSignal): Promise<readonly string[]> {
    if (isRefusedName(this.own.known, host, port)) throw notAllowed(`${host}:${port} is our own`);
    const [addresses] = await Promise.all([
      parseAddress(host) === null ? this.resolve(host, signal) : [host],
      this.own.refresh(),
    ]);
    if (addresses.length > ADDRESSES_MAX) throw notAllowed(`${host} has ${addresses.length} addresses`);
    const isAllowed = this.judgeOf(port);
    const refused = addresses.find((address) => !isAllowed(address));
    if (refused !== undefined) throw notAllowed(`${host} has the address ${refused}`);
    return addresses;
  }

  /** Whether a request may be sent to this address and port. */
  isAllowed(address: string, port: number): boolean {
    return this.judgeOf(port)(address);
  }

  private judgeOf(port: number): (address: string) => boolean {
    const isRefused = refusedAddresses(this.own.known, port);
    return (address) => isAllowedAddress(address, this.options.allowPrivate) && !isRefused(address);
  }

  private async resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = await this.options.resolve(name, signal).catch((error: unknown) => {
      throw new OutboundRefusal(
        error instanceof NameServersSilent ? 'no name server' : 'name not resolved',
        `${name}: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    if (addresses.length === 0) throw new OutboundRefusal('name not resolved', `${name} has no address`);
    return addresses;
  }
}

function notAllowed(message: string): OutboundRefusal {
  return new OutboundRefusal('url not allowed', message);
}
