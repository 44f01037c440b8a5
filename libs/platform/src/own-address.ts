import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { withDeadline } from '@switchboard/timing';

const DEADLINE_MS = 2_000;

/**
 * The host by which others find a server of this process.
 *
 * A server on every address is found by the one on the way to NATS: its clients come from the network that NATS is on, and with several
 * networks (docker-compose.yml) the first one may be one that they cannot reach. Where NATS is on this machine, that of the first network.
 *
 * @param host that the server listens on
 * @param natsUrl of the server that the process is connected to, where it is
 */
export async function ownHost(host: string, natsUrl?: string): Promise<string> {
  if (!isEvery(host)) return inUrl(host);
  // What listens on every address of IPv4 has none of IPv6.
  const family = host === '0.0.0.0' ? 4 : 0;
  const towards =
    natsUrl === undefined ? null : await withDeadline(addressTowards(natsUrl, family), DEADLINE_MS, () => null);
  return inUrl(towards !== null && !isLoopback(towards) ? towards : firstAddress());
}

/**
 * The own address from which packets to a URL's host go, by the routes of the system; null when there is no way, or no such host.
 *
 * @param wanted family of addresses: 4, 6, or 0 for either
 */
export async function addressTowards(url: string, wanted: 0 | 4 | 6 = 0): Promise<string | null> {
  try {
    const name = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const { address, family } = await lookup(name, { family: wanted });
    // An address is itself, of whatever family.
    if (wanted !== 0 && family !== wanted) return null;
    // Connecting sends nothing: it has the system choose the way. The port is any.
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        // An error comes to the callback, which the types do not know.
        socket.connect(1, address, ((error?: Error) => (error ? reject(error) : resolve())) as () => void);
      });
      const own = socket.address().address;
      return isEvery(own) ? null : own;
    } finally {
      socket.close();
    }
  } catch {
    return null;
  }
}

function firstAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
