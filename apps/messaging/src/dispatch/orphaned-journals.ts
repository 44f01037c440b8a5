import { readdir, rm, stat } from 'node:fs/promises';
import { instanceOf } from './dispatch-journal.js';
import { begunLine, generationOf, journalPath, readJournal } from './journal-file.js';
import { endPath, holderOf, lockPath, stateOfHolder } from './process-lock.js';
import { isSystemError } from './system-error.js';

/** A journal or lock that proves nothing (another boot's, one without the other) is kept so long. */
const UNPROVEN_KEEP_MS = 24 * 60 * 60 * 1_000;

/** What a process that has ended left behind, complete: nothing is written to it any more. */
export interface OrphanedJournal {
  readonly instance: string;
  readonly generations: readonly string[];
  /** Whether the attempt may have begun; false is a proof that none of its bytes left. */
  mayHaveBegun(attempt: { readonly lease: string; readonly messageId: string }): boolean;
}

/** The journals of processes that have provably ended, read after they had. */
export async function orphanedJournals(folder: string, ownInstance: string): Promise<OrphanedJournal[]> {
  const orphaned: OrphanedJournal[] = [];
  for (const [instance, generations] of await journalsOfOthers(folder, ownInstance)) {
    if ((await stateOfHolder(folder, instance)) !== 'ended') continue;
    const journal = await readOrphaned(folder, instance, generations);
    if (journal) orphaned.push(journal);
  }
  return orphaned;
}

/** Removes what is taken over, the proof of its end last. */
export async function removeOrphaned(folder: string, { instance, generations }: OrphanedJournal): Promise<void> {
  for (const generation of generations) await rm(journalPath(folder, generation), { force: true });
  for (const path of [lockPath(folder, instance), endPath(folder, instance)]) await rm(path, { force: true });
}

/**
 * Removes journals and locks that prove nothing, a day after they were last written: of another boot, without a lock, or a lock
 * without a journal. What a living process holds stays, however old it is, and so does what is still to be taken over.
 */
export async function removeUnproven(folder: string, ownInstance: string): Promise<void> {
  const names = await readdir(folder);
  const journals = await journalsOfOthers(folder, ownInstance);
  const instances = new Set([...journals.keys(), ...names.flatMap((name) => holderOf(name) ?? [])]);
  instances.delete(ownInstance);
  for (const instance of instances) {
    const state = await stateOfHolder(folder, instance);
    const generations = journals.get(instance) ?? [];
    if (state === 'lives' || (state === 'ended' && (await readOrphaned(folder, instance, generations)))) continue;
    const paths = generations.map((generation) => journalPath(folder, generation));
    // The lock last: as long as there is a journal it may be the proof that its process has ended.
    paths.push(lockPath(folder, instance), endPath(folder, instance));
    await removeOutdated(paths);
  }
}

async function removeOutdated(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const written = await stat(path).catch(ignoreGone);
    if (!written) continue;
    if (Date.now() - written.mtimeMs <= UNPROVEN_KEEP_MS) return;
    await rm(path, { force: true });
  }
}

async function journalsOfOthers(folder: string, ownInstance: string): Promise<Map<string, string[]>> {
  const generations = (await readdir(folder)).flatMap((name) => generationOf(name) ?? []);
  const journals = Map.groupBy(generations, instanceOf);
  journals.delete(ownInstance);
  return journals;
}

async function readOrphaned(folder: string, instance: string, all: readonly string[]): Promise<OrphanedJournal | null> {
  const begun = new Map<string, ReadonlySet<string>>();
  for (const generation of all) {
    const lines = await readJournal(folder, generation).catch(ignoreGone);
    if (lines) begun.set(generation, lines);
  }
  if (begun.size === 0) return null;
  return {
    instance,
    generations: [...begun.keys()],
    mayHaveBegun: ({ lease, messageId }) => {
      const [generation = '', leaseNumber = ''] = lease.split('.');
      return begun.get(generation)?.has(begunLine(leaseNumber, messageId)) ?? true;
    },
  };
}

/** Another replica may have taken it over. */
function ignoreGone(error: unknown): null {
  if (isSystemError(error, 'ENOENT')) return null;
  throw error;
}
