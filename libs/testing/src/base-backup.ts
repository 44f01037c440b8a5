import { execFile } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EmbeddedPostgres } from '@switchboard/embedded-servers';
import type { Database } from '@switchboard/postgres';

const run = promisify(execFile);

/** One session of a superuser: start and end of a backup belong to one. */
export interface BackupSession {
  query(sql: string): Promise<unknown>;
}

/** An online base backup of a whole server: its folder, and where that is to be put. */
export class BaseBackup {
  private goesOn = false;

  private constructor(
    private readonly data: string,
    private readonly copy: string,
  ) {}

  /**
   * Copies a server's data while it works, as `pg_basebackup` does, which is not among the binaries. The server recovers
   * to the end of the backup.
   *
   * Source: PostgreSQL manual, "Making a Base Backup Using the Low Level API".
   */
  static async take(session: BackupSession): Promise<BaseBackup> {
    const data = await valueOf(session, 'SHOW data_directory');
    const copy = `${data}.backup`;
    await rm(copy, { recursive: true, force: true });
    await session.query(`SELECT pg_backup_start('backup', true)`);
    await copyFolder(data, copy);
    const labelfile = await valueOf(session, 'SELECT labelfile FROM pg_backup_stop(false)');
    // What was written during the copy is made whole by the log up to here.
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await copyFolder(join(data, 'pg_wal'), join(copy, 'pg_wal'));
    await rm(join(copy, 'postmaster.pid'));
    const label = join(copy, 'backup_label');
    await writeFile(label, labelfile);
    const { uid, gid } = await stat(join(copy, 'PG_VERSION'));
    await chown(label, uid, gid);
    return new BaseBackup(data, copy);
  }

  /** Puts it in the place of the server's data, and starts the server. Repeatable. */
  async restore(server: EmbeddedPostgres): Promise<void> {
    await server.stop('immediate');
    await rm(this.data, { recursive: true });
    await copyFolder(this.copy, this.data);
    await server.restart();
  }

  /** Puts it in the place of the data of a server that has ended: at once, whoever starts it again. Once only. */
  putInPlace(): void {
    if (this.goesOn) {
      rmSync(join(this.copy, 'pg_wal'), { recursive: true });
      renameSync(join(this.data, 'pg_wal'), join(this.copy, 'pg_wal'));
    }
    renameSync(this.data, `${this.data}.lost`);
    renameSync(this.copy, this.data);
  }

  /**
   * Has the copy go on by the log of the server in whose place it is put, up to a position, and begin a timeline of its own there: as
   * a standby that has got so much and is promoted. Before the server's first checkpoint behind the backup has removed the log.
   */
  async goOnUpTo(position: string): Promise<void> {
    await this.configure('recovery.signal', [
      `restore_command = 'false'`,
      `recovery_target_lsn = '${position}'`,
      `recovery_target_action = 'promote'`,
    ]);
    this.goesOn = true;
  }

  /**
   * Has the copy follow the server that it was taken of, as a streaming standby. Once only.
   *
   * @returns its folder; a server that is started on it reads until `pg_promote()`, and is ready from then on
   */
  async followAsStandby({ host, port, user, password }: EmbeddedPostgres): Promise<string> {
    await writeFile(`${this.copy}.password`, password, { mode: 0o600 });
    const primary = `host=${host} port=${port} user=${user} password=${password}`;
    await this.configure('standby.signal', [`primary_conninfo = '${primary}'`]);
    return this.copy;
  }

  private async configure(signalFile: string, settings: readonly string[]): Promise<void> {
    const signal = join(this.copy, signalFile);
    const { uid, gid } = await stat(join(this.copy, 'PG_VERSION'));
    await writeFile(signal, '');
    await chown(signal, uid, gid);
    await appendFile(join(this.copy, 'postgresql.auto.conf'), `\n${settings.join('\n')}\n`);
  }

  /** Deletes what `putInPlace` has replaced. */
  async forgetLost(): Promise<void> {
    await rm(`${this.data}.lost`, { recursive: true, force: true });
  }
}

/** `BaseBackup.take` through a superuser's pool. */
export async function takeBaseBackup(superuser: Database): Promise<BaseBackup> {
  const session = superuser.dataSource.createQueryRunner();
  try {
    return await BaseBackup.take(session);
  } finally {
    await session.release();
  }
}

/** Files that a working server removes meanwhile are none of the backup's. */
async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: unknown) => {
    const lines = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n') : [];
    if (lines.length === 0 || !lines.every((line) => line.endsWith('No such file or directory'))) throw error;
  });
}

/** The one value of a statement, whether the client answers with rows or with a result that holds them. */
async function valueOf(session: BackupSession, sql: string): Promise<string> {
  const answer = await session.query(sql);
  const rows = Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows;
  const [value] = Object.values((rows[0] ?? {}) as Record<string, unknown>);
  if (typeof value !== 'string') throw new TypeError(`no text from ${sql}`);
  return value;
}
