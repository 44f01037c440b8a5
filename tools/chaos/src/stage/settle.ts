import { setTimeout as wait } from 'node:timers/promises';
import { audit, type Audit } from '../audit/audit.js';
import type { Finding } from '../audit/finding.js';
import type { DatabaseMark } from '../ledger/database-ledger.js';
import type { SentInbound, Ledgers, Send } from '../ledger/ledgers.js';
import { numbersOf } from '../ledger/number-book.js';
import { pidsOf, type Stage } from './stage.js';

/** Where a period begins in every ledger; to be taken at rest. */
export interface Mark {
  readonly database: DatabaseMark;
  readonly requests: number;
  readonly seen: number;
  /** Process ids by name. */
  readonly pids: ReadonlyMap<string, number>;
}

/** What the harness itself knows of a period. */
export interface LoadOutcome {
  readonly sends: readonly Send[];
  readonly inbound: readonly SentInbound[];
}

/** How long, and for what, an audit waits before it looks. */
export interface SettleOptions {
  readonly deadlineMs: number;
  /** Also wait for the leases of attempts whose process is gone (45 s): then nothing is in doubt any more. */
  readonly withLeases: boolean;
  /** Processes that the fault kills, or cannot live with; any other that is another one than at the mark has crashed. */
  readonly mayDie?: readonly string[];
}

const LOOK_EVERY_MS = 100;
/** A look reads all that was committed since the mark: it takes a fifth of the time at most, so that what is watched comes to rest. */
const REST_PER_LOOK = 4;
const READS_MAX = 5;

/** The very beginning of a stage. */
export const BEGINNING: Mark = {
  database: { at: new Date(0), positions: new Map() },
  requests: 0,
  seen: 0,
  pids: new Map(),
};

/** This moment. */
export async function markOf(stage: Stage): Promise<Mark> {
  const { requests } = await stage.simulator.work();
  return { database: await stage.database.mark(), requests, seen: stage.recorder.size, pids: pidsOf(stage.stack) };
}

/** Waits until nothing is on its way, then compares the ledgers since the mark. What does not come to rest is a finding. */
export async function settleAndAudit(
  stage: Stage,
  mark: Mark,
  outcome: LoadOutcome,
  options: SettleOptions,
): Promise<Audit> {
  stage.book.add(outcome.sends);
  let restless = await settle(stage, mark, options);
  let ledgers = await readLedgers(stage, mark, outcome);
  // Ledgers are read one after the other: what moved meanwhile (an attempt given back late) would disagree with itself.
  for (let read = 1; read < READS_MAX && restless === null && (await hasMoved(stage, mark, ledgers)); read++) {
    restless = await settle(stage, mark, options);
    ledgers = await readLedgers(stage, mark, outcome);
  }
  const { tally, findings } = audit(ledgers);
  const never: Finding[] = restless === null ? [] : [{ rule: 'never-quiet', detail: restless }];
  return { tally, findings: [...never, ...deaths(stage, mark, options.mayDie ?? []), ...findings] };
}

/** By process id: at the very beginning a stage does not know them yet, and remembers those that it was opened with. */
function deaths(stage: Stage, mark: Mark, mayDie: readonly string[]): Finding[] {
  const before = mark.pids.size > 0 ? mark.pids : stage.pids;
  return [...pidsOf(stage.stack)]
    .filter(([name, pid]) => before.get(name) !== pid && !mayDie.includes(name))
    .map(([name]) => ({ rule: 'process.died', detail: `${name} died by itself; its log says of what` }));
}

/** @returns null, or what was still moving when the time was over */
export async function settle(stage: Stage, mark: Mark, options: SettleOptions): Promise<string | null> {
  const deadlineMs = Date.now() + options.deadlineMs;
  // Twice in a row: what one look found applied last may have emitted something that it had counted before.
  for (let quiet = 0; ;) {
    const startedMs = performance.now();
    const restless = await restlessness(stage, mark, options).catch((error: unknown) => `unreadable: ${String(error)}`);
    quiet = restless === null ? quiet + 1 : 0;
    if (quiet === 2 || (restless !== null && Date.now() > deadlineMs)) return restless;
    await wait(Math.max(LOOK_EVERY_MS, REST_PER_LOOK * (performance.now() - startedMs)));
  }
}

/** In the order of the way of a message, so that what is named is what holds up the rest. */
async function restlessness(stage: Stage, mark: Mark, { withLeases }: SettleOptions): Promise<string | null> {
  const upstream = await stage.simulator.work();
  if (upstream.open > 0) return `${upstream.open} requests open at the upstream`;
  if (upstream.callbacks > 0) return `${upstream.callbacks} callbacks not delivered`;
  const work = await stage.database.openWork();
  if (work.retries > 0) return `${work.retries} messages to be sent again`;
  if (withLeases && work.dispatching > 0) return `${work.dispatching} attempts whose outcome is open`;
  if (work.unpublished > 0) return `${work.unpublished} events not published`;
  const unseen = (await stage.database.eventIdsSince(mark.database)).filter((id) => !stage.recorder.has(id)).length;
  if (unseen > 0) return `${unseen} events published and not seen`;
  const unapplied = await stage.database.unappliedSince(mark.database);
  return unapplied.length > 0 ? `${unapplied.length} events not applied, ${unapplied[0]} among them` : null;
}

async function hasMoved({ simulator, database }: Stage, mark: Mark, ledgers: Ledgers): Promise<boolean> {
  const { requests } = await simulator.work();
  if (requests !== mark.requests + ledgers.requests.length) return true;
  return (await database.eventIdsSince(mark.database)).length !== ledgers.outbox.length;
}

async function readLedgers(stage: Stage, mark: Mark, outcome: LoadOutcome): Promise<Ledgers> {
  const { database, simulator, recorder } = stage;
  const seen = recorder.seen.slice(mark.seen);
  // What was taken first: what is read later can only know more.
  const taken = await simulator.takenStatuses();
  const requests = await simulator.requestsFrom(mark.requests);
  const asked = requests.flatMap(({ reference }) => reference ?? []);
  const counted = new Set(seen.filter(({ sequence }) => sequence !== null).map(({ aggregateId }) => aggregateId));
  return {
    sends: outcome.sends,
    // From the very beginning: all answers to callers of the stage, before and after each fault.
    numbers: mark === BEGINNING ? stage.book.numbers : numbersOf(outcome.sends),
    inbound: outcome.inbound,
    messages: await database.messagesSince(mark.database, asked),
    deadLetters: await database.deadLettersSince(mark.database),
    requests,
    taken,
    outbox: await database.outboxSince(mark.database),
    seen,
    unapplied: await database.unappliedSince(mark.database),
    sequences: await database.sequencesOf([...counted]),
  };
}
