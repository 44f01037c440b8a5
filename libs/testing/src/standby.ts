import { findFreePorts, removePostgresData, startPostgres } from '@switchboard/embedded-servers';
import { statement, type Database } from '@switchboard/postgres';
import { takeBaseBackup } from './base-backup.js';
import { eventually } from './eventually.js';
import type { ServiceDatabase } from './service-database.js';
import type { TestServers } from './test-servers.js';

const writtenSql = statement<{ at: string }>('t.written', 'SELECT pg_current_wal_lsn()::text AS at');
const heldSql = statement<{ isHeld: boolean }>(
  't.held',
  'SELECT coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS "isHeld"',
);

/** A streaming standby of the PostgreSQL that a file has for itself. */
export interface Standby {
  /** @returns the same database there, as the service's own role, while it follows */
  connect(): Promise<Database>;
  /** Waits until it holds all that the primary has, and promotes it. @returns the same database there, as the service's own role */
  promote(): Promise<Database>;
}

/** Starts a standby of the server of `prepared`; `servers` need their own PostgreSQL. It ends after the tests. */
export async function startStandby(servers: TestServers, prepared: ServiceDatabase): Promise<Standby> {
  const primary = await prepared.superuser();
  const folder = await (await takeBaseBackup(primary)).followAsStandby(await servers.postgres());
  const [port = 0] = await findFreePorts(1);
  // It is ready for its owner once it takes writes.
  const starting = startPostgres({ dataDir: folder, port });
  servers.onEnd(async () => {
    await (await starting).stop('immediate');
    await removePostgresData(folder);
  });
  const at = (url: string): string => Object.assign(new URL(url), { port: String(port) }).href;
  const superuser = await eventually(() => prepared.database({ url: at(prepared.superuserUrl) }));
  return {
    connect: () => eventually(() => prepared.database({ url: at(prepared.url) })),
    async promote() {
      const [written] = await primary.query(writtenSql, []);
      await eventually(async () => (await superuser.query(heldSql, [written?.at]))[0]?.isHeld);
      await superuser.dataSource.query('SELECT pg_promote()');
      await starting;
      return prepared.database({ url: at(prepared.url) });
    },
  };
}
