import { BaseBackup } from '@switchboard/testing/base-backup';
import { eventually } from '@switchboard/testing/eventually';
import pg from 'pg';
import type { Stage } from '../stage/stage.js';

const DEADLINE_MS = 120_000;

/** An online backup of the PostgreSQL of a stage, which goes on meanwhile. */
export async function takeBackup(stage: Stage): Promise<BaseBackup> {
  const session = new pg.Client({ connectionString: stage.stack.devJson.databaseUrl });
  await session.connect();
  try {
    return await BaseBackup.take(session);
  } finally {
    await session.end();
  }
}

/** Ends the server, whatever it does, and puts a backup in its place. @returns when it ran again */
export async function putBack({ stack, database }: Stage, backup: BaseBackup): Promise<number> {
  const postgres = stack.process('postgres');
  await postgres.kill('SIGQUIT');
  // Before the supervisor's pause is over.
  backup.putInPlace();
  await postgres.restarted();
  const restoredMs = Date.now();
  await backup.forgetLost();
  await eventually(() => database.query('SELECT 1').then(() => true), { deadlineMs: DEADLINE_MS });
  return restoredMs;
}
