import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** All addresses of a name, IPv4 first; rejects when there is none. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const HOSTS_FILE = '/etc/hosts';

/**
 * Two tries, the second of which is twice as long: what has not been answered in 5 s counts as failed. Of a request's 10 s enough is left to
 * ask whether any name is answered.
 */
const DNS_OPTIONS = { timeout: 1_500, tries: 2 };

/**
 * Resolves a name by the hosts file, then by DNS.
 *
 * `getaddrinfo` is not used: it blocks a thread of the process's pool of four, and four names whose servers do not answer
 * would stop every other lookup. DNS queries need sockets only. Search domains do not apply: a name is taken as it is.
 *
 * @param query of DNS
 * @throws as the query; `AbortError` when the signal ends it
 */
export function nameResolver(query: ResolveName): ResolveName {
  return async (name, signal) => {
    signal.throwIfAborted();
    // Source: RFC 6761, 6.3.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const local = await addressesInHostsFile(name);
    return local.length > 0 ? local : query(name, signal);
  };
}

/** @throws Error of DNS, with its code, when neither family has an address, or the signal ends it */
export const queryDns: ResolveName = async (name, signal) => {
  const resolver = new Resolver(DNS_OPTIONS);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

async function addressesInHostsFile(name: string): Promise<readonly string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  const addresses = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return names.some((known) => known.toLowerCase() === name) ? [address] : [];
  });
  return addresses.sort((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
}
