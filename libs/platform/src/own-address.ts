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
  const towards = natsUrl === undefined ? null : await withDeadline(addressTowards(natsUrl), DEADLINE_MS, () => null);
  return inUrl(towards !== null && !isLoopback(towards) ? towards : firstAddress());
}

/** The own address from which packets to a URL's host go, by the routes of the system; null when there is no way, or no such host. */
export async function addressTowards(url: string): Promise<string | null> {
  try {
    const { address, family } = await lookup(new URL(url).hostname.replace(/^\[|\]$/g, ''));
    // Connecting sends nothing: it has the system choose the way. The port is any.
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.connect(1, address, resolve);
      });
      return socket.address().address;
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
