import type { EnvironmentOf } from '@switchboard/dev';
import { TcpLink } from './tcp-link.js';

/** What a service is wired to, by the key of its configuration. */
const KEYS = { nats: 'NATS_URL', postgres: 'DATABASE_URL', upstream: 'CLOUD_BASE_URL' } as const;

/** Something at the other end of a wire. */
export type WireEnd = keyof typeof KEYS;

const ENDS = Object.keys(KEYS) as WireEnd[];

/** A wire of its own between each process and each of the servers that it uses. */
export class Wires {
  private constructor(private readonly links: ReadonlyMap<string, TcpLink>) {}

  /** @param processes names of the stack's processes; others reach their servers directly */
  static async open(processes: readonly string[]): Promise<Wires> {
    const links = new Map<string, TcpLink>();
    for (const process of processes) {
      for (const end of ENDS) links.set(`${process} ${end}`, await TcpLink.open());
    }
    return new Wires(links);
  }

  /** Puts the wires in: an option of `startStack`. */
  readonly environmentOf: EnvironmentOf = (process, environment) => {
    const changed: Record<string, string> = { ...environment };
    for (const end of ENDS) {
      const [link, url] = [this.links.get(`${process} ${end}`), environment[KEYS[end]]];
      if (link !== undefined && url !== undefined) changed[KEYS[end]] = link.through(url);
    }
    return changed;
  };

  /** @throws Error when that process has no wires */
  between(process: string, end: WireEnd): TcpLink {
    const link = this.links.get(`${process} ${end}`);
    if (link === undefined) throw new Error(`no wire between ${process} and ${end}`);
    return link;
  }

  /** Every wire to that end. */
  to(end: WireEnd): TcpLink[] {
    return [...this.links].filter(([name]) => name.endsWith(` ${end}`)).map(([, link]) => link);
  }

  async close(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.close()));
  }
}
