import { readdir, rm, stat } from 'node:fs/promises';
import { instanceOf } from './dispatch-journal.js';
import { begunLine, generationOf, journalPath, readJournal } from './journal-file.js';
import { endPath, hasEnded, lockPath } from './process-lock.js';
import { isSystemError } from './system-error.js';

/** A journal that proves nothing (another boot's, or its lock is gone) is kept so long. */
const UNPROVEN_KEEP_MS = 24 * 60 * 60 * 1_000;

/** What a process that has ended left behind, complete: nothing is written to it any more. */
export interface LeftJournal {
  readonly instance: string;
  readonly generations: readonly string[];
  /** Whether the attempt may have begun; false is a proof that none of its bytes left. */
  mayHaveBegun(attempt: { readonly lease: string; readonly messageId: string }): boolean;
}

/** The journals of processes that have provably ended, read after they had. */
export async function leftJournals(folder: string, ownInstance: string): Promise<LeftJournal[]> {
  const generations = (await readdir(folder)).flatMap((name) => generationOf(name) ?? []);
  const left: LeftJournal[] = [];
  for (const [instance, own] of Map.groupBy(generations, instanceOf)) {
    if (instance === ownInstance) continue;
    const journal = (await hasEnded(folder, instance)) ? await readLeft(folder, instance, own) : null;
    if (journal) left.push(journal);
    else await removeOutdated(folder, own);
  }
  return left;
}

/** Removes what is taken over, the proof of its end last. */
export async function removeLeft(folder: string, { instance, generations }: LeftJournal): Promise<void> {
  for (const generation of generations) await rm(journalPath(folder, generation), { force: true });
  for (const path of [lockPath(folder, instance), endPath(folder, instance)]) await rm(path, { force: true });
}

async function readLeft(folder: string, instance: string, all: readonly string[]): Promise<LeftJournal | null> {
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

async function removeOutdated(folder: string, generations: readonly string[]): Promise<void> {
  for (const generation of generations) {
    const path = journalPath(folder, generation);
    const written = await stat(path).catch(ignoreGone);
    if (written && Date.now() - written.mtimeMs > UNPROVEN_KEEP_MS) await rm(path, { force: true });
  }
}

/** Another replica may have taken it over. */
function ignoreGone(error: unknown): null {
  if (isSystemError(error, 'ENOENT')) return null;
  throw error;
}
