import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What all workers write at the same time, with room to spare, in bytes. */
const NEEDED = 4 * 1024 ** 3;
/** And what their processes need besides. */
const NEEDED_FREE = 3 * NEEDED;

/**
 * A new folder for all that the tests of a run write for a while. In memory where there is room for it: the files of a database
 * that is made and dropped again cost a disk's file system a third of the processor time of all tests.
 */
export function makeTestFolder() {
  if (hasRoomInMemory()) {
    const folder = makeFolder(MEMORY);
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true });
  }
  return makeFolder(tmpdir());
}

function makeFolder(parent) {
  const folder = mkdtempSync(join(parent, 'switchboard-test-'));
  // PostgreSQL's account passes through, where root runs the tests.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoomInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED && freemem() >= NEEDED_FREE;
  } catch {
    return false; // no Linux
  }
}

/** Some systems refuse to run what lies there, and tests write programs. */
function runsPrograms(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
