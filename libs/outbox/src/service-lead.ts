import { prepared, statement, type Database, type Queryable } from '@switchboard/postgres';
import { jittered, pause } from '@switchboard/timing';

/** Work that one replica of a service does at a time. */
export interface ServiceLeadOptions {
  readonly database: Pick<Database, 'connect'>;
  /** Names the advisory lock. */
  readonly name: string;
  /**
   * The work of the lead: begins when the lock is had and returns soon after `over` aborts.
   *
   * @param through the session that holds the lock
   */
  readonly work: (over: AbortSignal, through: Queryable) => Promise<void>;
  /** A failure is reported here, and the lead is sought again after a pause. */
  readonly onError: (error: unknown) => void;
  /** 10 s by default; shorter in tests. */
  readonly silentMaxMs?: number;
}

/** How often a replica without the lock asks for it. */
const STANDBY_PAUSE_MS = 500;
const ERROR_PAUSE_MS = 500;
/**
 * The server ends a session from which it has heard nothing for so long: its process stands still, or its machine has gone
 * without a word. Otherwise the lock would be kept for as long as that takes, or two hours.
 */
const SILENT_MAX_MS = 10_000;
/** Of that time: how often a lead looks whether it has asked nothing of late, and lets the server hear from it then. */
const HEARTBEAT_SHARE = 0.3;

const limitSilence = statement('lead.limit-silence', `SELECT set_config('idle_session_timeout', $1, false)`);
const tryLock = statement<{ locked: boolean }>(
  'lead.lock',
  'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
);
const beat = statement('lead.beat', 'SELECT 1');

/**
 * Has one replica of a service work at a time, under a session's advisory lock; the others stand by.
 *
 * Two may work at once for a moment when the connection with the lock is lost: the work must bear that.
 */
export class ServiceLead {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: ServiceLeadOptions) {}

  get isStopping(): boolean {
    return this.stopSignal.signal.aborted;
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Returns when the work has ended. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.lead();
      } catch (error) {
        this.options.onError(error);
        await pause(jittered(ERROR_PAUSE_MS), this.stopSignal.signal);
      }
    }
  }

  /** Holds the lock on a connection of its own: when that connection dies, the lock is free for another. */
  private async lead(): Promise<void> {
    const { database, name, work, silentMaxMs = SILENT_MAX_MS } = this.options;
    const client = await database.connect();
    const lost = new AbortController();
    const onLost = (): void => lost.abort();
    client.on('error', onLost).on('end', onLost);
    const over = AbortSignal.any([lost.signal, this.stopSignal.signal]);
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
        // Half of it: a look that comes a moment early must not leave all the time to the next one.
        if (performance.now() - askedMs >= beatMs / 2) query(beat, []).catch(onLost);
      }, beatMs);
      await work(over, { query });
    } finally {
      clearInterval(heartbeat);
      client.removeListener('error', onLost).removeListener('end', onLost);
      // Closing the session is what frees the lock.
      client.release(true);
    }
  }
}
