import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Log } from '@switchboard/platform';
import { endedCopyOf } from '../../test/ended-journal.js';
import { DispatchJournal } from './dispatch-journal.js';
import { JournalFile } from './journal-file.js';
import { orphanedJournals, removeOrphaned, removeUnproven } from './orphaned-journals.js';

describe('the journal of attempts', () => {
  const errors: string[] = [];
  const log: Log = { info: () => undefined, warn: () => undefined, error: (event) => void errors.push(event) };
  let folder = '';
  let journal: DispatchJournal;

  beforeEach(async () => {
    errors.length = 0;
    folder = await mkdtemp(join(tmpdir(), 'journal-'));
    journal = await DispatchJournal.open(folder, log);
  });
  afterEach(async () => {
    await journal.close({ isAllRecorded: true });
    await rm(folder, { recursive: true, force: true });
  });

  it('proves of an ended process which of its attempts never began, one lease or message apart', async () => {
    const [one, two] = [journal.newLease(), journal.newLease()];
    journal.begin({ lease: one, messageId: 'a' });
    const [left] = await orphanedJournals(await endedCopyOf(folder, journal.instance), 'another');
    expect(left?.mayHaveBegun({ lease: one, messageId: 'a' })).toBe(true);
    expect(left?.mayHaveBegun({ lease: one, messageId: 'b' })).toBe(false);
    expect(left?.mayHaveBegun({ lease: two, messageId: 'a' })).toBe(false);
    expect(left?.mayHaveBegun({ lease: 'of another', messageId: 'a' })).toBe(true);
  });

  it('proves nothing of a process that lives, of one whose lock is gone, and of another boot', async () => {
    journal.begin({ lease: journal.newLease(), messageId: 'a' });
    expect(await orphanedJournals(folder, 'another')).toEqual([]);
    const unlocked = await endedCopyOf(folder, journal.instance);
    await rm(join(unlocked, `${journal.instance}.sock`));
    expect(await orphanedJournals(unlocked, 'another')).toEqual([]);
    expect(await orphanedJournals(await copyOfAnotherBoot(), 'another')).toEqual([]);
  });

  it('is removed with its lock a day after it was written when it proves nothing', async () => {
    const loneLock = await endedCopyOf(folder, journal.instance);
    for (const name of await readdir(loneLock)) if (name.endsWith('.begun')) await rm(join(loneLock, name));
    for (const left of [await copyOfAnotherBoot(), loneLock]) {
      const names = await readdir(left);
      await removeUnproven(left, 'another');
      expect(await readdir(left)).toEqual(names);
      await letADayPass(left);
      await removeUnproven(left, 'another');
      expect(await readdir(left)).toEqual([]);
    }
  });

  it('stays, however old, while its process lives, and until it is taken over', async () => {
    for (const kept of [await endedCopyOf(folder, journal.instance), folder]) {
      await letADayPass(kept);
      const names = await readdir(kept);
      await removeUnproven(kept, 'another');
      expect(await readdir(kept)).toEqual(names);
    }
  });

  it('lets nothing begin that it cannot note, and leaves nothing when it ends in order', async () => {
    const lease = journal.newLease();
    await journal.close({ isAllRecorded: true });
    expect(() => journal.begin({ lease, messageId: 'a' })).toThrow('the journal of the attempt is closed');
    expect(await readdir(folder)).toEqual([]);
  });

  it('ends in order, and leaves nothing, also where somebody has removed a file of it', async () => {
    await rm(join(folder, `${journal.newLease().split('.')[0]}.begun`));
    await journal.close({ isAllRecorded: true });
    expect([await readdir(folder), errors]).toEqual([[], []]);
  });

  it('lets nothing begin whose note is not written, as on a full disk: it would pass for what never began', () => {
    const append = jest.spyOn(JournalFile.prototype, 'append').mockImplementation(() => {
      throw new Error('no space is left');
    });
    try {
      const lease = journal.newLease();
      expect(() => journal.begin({ lease, messageId: 'a' })).toThrow('no space is left');
      expect(journal.isOpen).toBe(false);
      expect(errors).toEqual(['dispatch.journal-unusable']);
    } finally {
      append.mockRestore();
    }
  });

  it('is left to a successor when it ends before all is recorded, and removed once that is done', async () => {
    const [begun, waiting] = [journal.newLease(), journal.newLease()];
    journal.begin({ lease: begun, messageId: 'a' });
    await journal.close({ isAllRecorded: false });
    expect(() => journal.begin({ lease: waiting, messageId: 'b' })).toThrow('the journal of the attempt is closed');
    const [left] = await orphanedJournals(folder, 'another');
    expect(left?.mayHaveBegun({ lease: begun, messageId: 'a' })).toBe(true);
    expect(left?.mayHaveBegun({ lease: waiting, messageId: 'b' })).toBe(false);
    if (left) await removeOrphaned(folder, left);
    expect(await readdir(folder)).toEqual([]);
  });

  it('goes on in another file when one is full, and still knows the leases of the first', async () => {
    const first = journal.newLease();
    const filler = 'f'.repeat(3 * 1024 * 1024);
    journal.begin({ lease: journal.newLease(), messageId: filler });
    const second = journal.newLease();
    for (const lease of [first, second]) journal.begin({ lease, messageId: 'a' });
    expect(second.split('.')[0]).not.toBe(first.split('.')[0]);
    const [left] = await orphanedJournals(await endedCopyOf(folder, journal.instance), 'another');
    for (const lease of [first, second]) {
      expect(left?.mayHaveBegun({ lease, messageId: 'a' })).toBe(true);
      expect(left?.mayHaveBegun({ lease, messageId: 'b' })).toBe(false);
    }
  });

  it('is done without while it cannot be written, and goes on 10 s after', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      const waiting = journal.newLease();
      journal.begin({ lease: journal.newLease(), messageId: 'f'.repeat(3 * 1024 * 1024) });
      await rename(folder, `${folder}-away`);
      expect(journal.newLease()).not.toContain('.');
      jest.advanceTimersByTime(10_000);
      expect(journal.newLease()).not.toContain('.');
      await rename(`${folder}-away`, folder);
      expect(journal.newLease()).not.toContain('.');
      expect(() => journal.begin({ lease: waiting, messageId: 'a' })).toThrow('the journal of the attempt is closed');
      jest.advanceTimersByTime(10_000);
      const [one, two] = [journal.newLease(), journal.newLease()];
      journal.begin({ lease: one, messageId: 'a' });
      const [left] = await orphanedJournals(await endedCopyOf(folder, journal.instance), 'another');
      expect(left?.mayHaveBegun({ lease: one, messageId: 'a' })).toBe(true);
      expect(left?.mayHaveBegun({ lease: two, messageId: 'a' })).toBe(false);
      expect(left?.mayHaveBegun({ lease: waiting, messageId: 'a' })).toBe(false);
      expect(errors).toEqual(['dispatch.journal-unusable', 'dispatch.journal-unusable']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is done without where its folder cannot be used, or is not named: attempts begin, and nothing is proved', async () => {
    await writeFile(join(folder, 'file'), '');
    for (const unusable of [join(folder, 'file', 'folder'), '']) {
      const none = await DispatchJournal.open(unusable, log);
      expect(none.isOpen).toBe(false);
      none.begin({ lease: none.newLease(), messageId: 'a' });
      expect(none.newLease()).not.toContain('.');
    }
    expect(errors).toEqual(['dispatch.journal-unusable']);
  });

  async function copyOfAnotherBoot(): Promise<string> {
    const copy = await endedCopyOf(folder, journal.instance);
    for (const name of await readdir(copy)) {
      if (name.endsWith('.begun')) await writeFile(join(copy, name), 'another boot\n');
    }
    return copy;
  }

  async function letADayPass(of: string): Promise<void> {
    const written = new Date(Date.now() - 25 * 60 * 60 * 1_000);
    for (const name of await readdir(of)) await utimes(join(of, name), written, written);
  }
});
