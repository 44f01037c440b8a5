import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { listCountedRpc, type CountedMessage, type CountedPage } from '@switchboard/contracts/messaging/counted-rpc';
import type { RpcClient } from '@switchboard/nats';
import type { FactRange, FactRangeRepository, KnownFact } from '../fact/fact-range.repository.js';
import type { Rebuild } from '../rebuild/rebuild.repository.js';

/** Messages that follow one another, and the facts that have none. */
export interface MessagePage {
  readonly messages: readonly CountedMessage[];
  /** Facts of messages that messaging does not have. */
  readonly gone: readonly KnownFact[];
  /** The beginning of the ids from which on every message is kept; null: an older messaging that has none does not say it. */
  readonly oldestId: string | null;
  /** The id up to which the page says everything; null: to the end. */
  readonly until: string | null;
}

/** A page holds about 400 bytes a message, and is one short transaction. */
const PAGE_MAX = 500;
/** Sorts after every id. */
const AFTER_EVERY_ID = 'd';

/**
 * Reads the next messages of a rebuild, and what is known of them.
 *
 * A fact that messaging does not have, or has with an older version, is of an event that has just come, or of a state that is
 * gone (a restored database). Which one it is, a second look says that begins after the fact was seen: messaging commits a
 * message before its events go out.
 */
export async function readPage(
  rpc: Pick<RpcClient, 'call'>,
  facts: FactRangeRepository,
  { organizationId, position, oldestId: known }: Rebuild,
  pageMax: number = PAGE_MAX,
): Promise<MessagePage> {
  const knownMax = 2 * pageMax;
  const ask = async (): Promise<Asked> => {
    const principal = systemPrincipal(organizationId, 'figures');
    const request = { after: position === '' ? null : position, limit: pageMax };
    const { messages, keptFrom = '' } = await rpc.call(listCountedRpc, principal, request);
    const last = messages.length < pageMax ? undefined : messages.at(-1);
    return { messages, keptFrom, until: last?.id ?? AFTER_EVERY_ID };
  };
  const first = await ask();
  // An older messaging does not say from where on it keeps messages: then what is older than the first one stays.
  const saidFrom = first.keptFrom === '' ? first.messages[0]?.id : first.keptFrom;
  const oldestKept = known ?? saidFrom ?? null;
  if (oldestKept === null) return { messages: [], gone: [], oldestId: null, until: null };
  const range: FactRange = { organizationId, from: oldestKept, after: position, until: first.until };
  const stored = await facts.list(range, knownMax);
  const suspects = suspectsIn(stored, first.messages);
  if (suspects.newer.length > 0) await facts.forgetVersions(organizationId, suspects.newer);
  const isClear = suspects.newer.length + suspects.absent.length === 0;
  const { messages, until: asked, keptFrom } = isClear ? first : await ask();
  // Messages may have been removed since the rebuild began: their figures stay, as those of all that is older.
  const oldestId = keptFrom > oldestKept ? keptFrom : oldestKept;
  const bounds = [first.until, asked, stored.length === knownMax ? (stored.at(-1)?.id ?? '') : AFTER_EVERY_ID];
  const until = bounds.reduce((least, bound) => (bound < least ? bound : least));
  const page = messages.filter(({ id }) => id <= until && id >= oldestId);
  const present = new Set(page.map(({ id }) => id));
  const gone = suspects.absent.filter(({ id }) => id <= until && id >= oldestId && !present.has(id));
  return { messages: page, gone, oldestId, until: until === AFTER_EVERY_ID ? null : until };
}

interface Asked extends Required<CountedPage> {
  readonly until: string;
}

function suspectsIn(
  stored: readonly KnownFact[],
  messages: readonly CountedMessage[],
): { readonly newer: KnownFact[]; readonly absent: KnownFact[] } {
  const sequences = new Map(messages.map(({ id, sequence }) => [id, sequence]));
  return {
    newer: stored.filter(({ id, version }) => version > (sequences.get(id) ?? version)),
    absent: stored.filter(({ id }) => !sequences.has(id)),
  };
}
