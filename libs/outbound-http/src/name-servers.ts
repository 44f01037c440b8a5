import { RecentMap, unlessAborted } from '@switchboard/timing';
import type { ResolveName } from './resolve-name.client.js';

/** Names that were found lately, at most. */
const KNOWN_MAX = 32;
/** Of those so many are asked for, for so long, where another name is not answered. */
const ASKED_MAX = 3;
const ASKED_MS = 2_500;
/** What came of that holds for so long. */
const KEPT_MS = 5_000;
/** A query that has not ended by then is given up; whoever asked has given up before. */
const QUERY_MS = 10_000;
/** These are answers: there is no such name, or no address of it. */
const ANSWERS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** The name servers of this machine answer for no name: the owner of the one that was asked for has no part in it. */
export class NameServersSilent extends Error {
  override readonly name = 'NameServersSilent';
}

/**
 * Distinguishes a name whose own servers fail from name servers of ours that do, which look alike: of a name that is not answered, a few
 * names of other domains that were found lately are asked for as well. One that was found by no other before has no such witness.
 */
export class NameServers {
  /** The one that was found last is the last. */
  private readonly known = new RecentMap<string, 'found'>(KNOWN_MAX);
  private readonly underWay = new Map<string, Promise<readonly string[]>>();
  private last: { readonly atMs: number; readonly areSilent: Promise<boolean> } | undefined;

  /** @param query of DNS; rejects with its code where there is no address */
  constructor(private readonly query: ResolveName) {}

  /** As the query. @throws NameServersSilent where nothing else is answered either */
  readonly resolve: ResolveName = async (name, signal) => {
    try {
      const addresses = await unlessAborted(this.underWay.get(name) ?? this.begin(name), signal);
      this.known.set(name, 'found');
      return addresses;
    } catch (error) {
      if (isAnswer(error) || signal.aborted || !(await this.areSilent(name))) throw error;
      throw new NameServersSilent(`${name}: ${String(error)}, and nothing else is answered`);
    }
  };

  /** One query for all connections to a name that are made at once. */
  private begin(name: string): Promise<readonly string[]> {
    const query = this.query(name, AbortSignal.timeout(QUERY_MS));
    this.underWay.set(name, query);
    const end = (): void => void this.underWay.delete(name);
    query.then(end, end);
    return query;
  }

  private areSilent(name: string): Promise<boolean> {
    const nowMs = performance.now();
    if (this.last === undefined || nowMs - this.last.atMs > KEPT_MS) {
      this.last = { atMs: nowMs, areSilent: this.ask(domainOf(name)) };
    }
    return this.last.areSilent;
  }

  private async ask(domain: string): Promise<boolean> {
    const witnesses = [...this.known.keys()].reverse().filter((name) => domainOf(name) !== domain);
    const asked = witnesses.slice(0, ASKED_MAX);
    const answered = asked.map((name) => this.isAnswered(name));
    return asked.length > 0 && !(await Promise.all(answered)).includes(true);
  }

  private async isAnswered(name: string): Promise<boolean> {
    try {
      await this.query(name, AbortSignal.timeout(ASKED_MS));
      return true;
    } catch (error) {
      return isAnswer(error);
    }
  }
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ANSWERS.has(error.code);
}

/** By what names of one owner have in common, roughly. */
function domainOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}
