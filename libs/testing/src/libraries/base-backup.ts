import { execFile } from 'node:child_process';
import { chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedPostgres } from '@switchboard/embedded-servers';
import type { Database } from '@switchboard/postgres';

const run = promisify(execFile);

/** An online base backup of a whole server. */
export interface BaseBackup {
  /** Puts it in the place of the server's data, and starts the server, which recovers to the end of the backup. */
  restore(server: EmbeddedPostgres): Promise<void>;
}

/**
 * Copies a server's data while it works, as `pg_basebackup` does, which is not among the binaries.
 *
 * Source: PostgreSQL manual, "Making a Base Backup Using the Low Level API".
 */
export async function takeBaseBackup(superuser: Database): Promise<BaseBackup> {
  // Start and stop belong to one session.
  const session = superuser.dataSource.createQueryRunner();
  try {
    const data = await valueOf(session, 'SHOW data_directory');
    const copy = `${data}.backup`;
    await rm(copy, { recursive: true, force: true });
    await session.query(`SELECT pg_backup_start('backup', true)`);
    await run('cp', ['-a', data, copy]);
    const labelfile = await valueOf(session, 'SELECT labelfile FROM pg_backup_stop(false)');
    // What was written during the copy is made whole by the log up to here.
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await run('cp', ['-a', join(data, 'pg_wal'), join(copy, 'pg_wal')]);
    await rm(join(copy, 'postmaster.pid'));
    const label = join(copy, 'backup_label');
    await writeFile(label, labelfile);
    const { uid, gid } = await stat(join(copy, 'PG_VERSION'));
    await chown(label, uid, gid);
    return { restore: (server) => restore(server, data, copy) };
  } finally {
    await session.release();
  }
}

async function restore(server: EmbeddedPostgres, data: string, copy: string): Promise<void> {
  await server.stop('immediate');
  await rm(data, { recursive: true });
  await run('cp', ['-a', copy, data]);
  await server.restart();
}

/** The one value of a statement. */
async function valueOf(session: { query(sql: string): Promise<unknown> }, sql: string): Promise<string> {
  const rows = (await session.query(sql)) as Record<string, unknown>[];
  const [value] = Object.values(rows[0] ?? {});
  if (typeof value !== 'string') throw new TypeError(`no text from ${sql}`);
  return value;
}
