import { prepared, statement, type Database, type Queryable } from '@switchboard/postgres';
import { jittered, pause } from '@switchboard/timing';

/** Which lock is held, and what for. */
export interface LeadSpec {
  readonly database: Pick<Database, 'connect'>;
  /** Names the advisory lock. */
  readonly name: string;
  /** Ends the lead, and the wait for it. */
  readonly stopping: AbortSignal;
  /** Begins when the lock is had, and returns soon after `over` aborts. @param through the session that holds it */
  readonly work: (through: Queryable, over: AbortSignal) => Promise<void>;
  /** 10 s by default; shorter in tests. */
  readonly silentMaxMs?: number;
}

/** How often a replica without the lock asks for it. */
const STANDBY_PAUSE_MS = 500;
/**
 * The server ends a session from which it has heard nothing for so long: its process stands still, or its machine has gone
 * without a word. Otherwise the lock would be kept for as long as that takes, or two hours.
 */
const SILENT_MAX_MS = 10_000;
/** Of that time: how long a lead may have asked nothing before it lets the server hear from it. */
const HEARTBEAT_SHARE = 0.4;

const limitSilence = statement('lead.limit-silence', `SELECT set_config('idle_session_timeout', $1, false)`);
const tryLock = statement<{ locked: boolean }>(
  'lead.lock',
  'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
);
const beat = statement('lead.beat', 'SELECT 1');

/**
 * Has one replica of a service work at a time, under a session's advisory lock, on a connection of its own: when that
 * connection dies, the lock is free for another. Waits for the lock, does the work once, and gives the lock back.
 *
 * Two may work at once for a moment when the connection is lost: the work must bear that.
 *
 * @throws as the work, and when the database is away
 */
export async function holdLead(spec: LeadSpec): Promise<void> {
  const { database, name, stopping, work, silentMaxMs = SILENT_MAX_MS } = spec;
  const client = await database.connect();
  const lost = new AbortController();
  const onLost = (): void => lost.abort();
  client.on('error', onLost).on('end', onLost);
  const over = AbortSignal.any([lost.signal, stopping]);
  let askedMs = performance.now();
  const query: Queryable['query'] = async (own, given) => {
    askedMs = performance.now();
    return (await client.query(prepared(own, given))).rows;
  };
  const isLocked = async (): Promise<boolean> => (await query(tryLock, [name]))[0]?.locked === true;
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    await query(limitSilence, [String(silentMaxMs)]);
    while (!over.aborted && !(await isLocked())) await pause(jittered(STANDBY_PAUSE_MS), over);
    if (over.aborted) return;
    const beatMs = silentMaxMs * HEARTBEAT_SHARE;
    heartbeat = setInterval(() => {
      if (performance.now() - askedMs >= beatMs) query(beat, []).catch(onLost);
    }, beatMs);
    await work({ query }, over);
  } finally {
    clearInterval(heartbeat);
    client.removeListener('error', onLost).removeListener('end', onLost);
    // Closing the session is what frees the lock.
    client.release(true);
  }
}
