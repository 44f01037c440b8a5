import { prepared, statement, type Database } from '@switchboard/postgres';
import { jittered, pause } from '@switchboard/timing';

/** Work that one replica of a service does at a time. */
export interface ServiceLeadOptions {
  readonly database: Database;
  /** Names the advisory lock. */
  readonly name: string;
  /** The work of the lead: begins when the lock is had and returns soon after `over` aborts. */
  readonly work: (over: AbortSignal) => Promise<void>;
  /** A failure is reported here, and the lead is sought again after a pause. */
  readonly onError: (error: unknown) => void;
}

/** How often a replica without the lock asks for it. */
const STANDBY_PAUSE_MS = 500;
const ERROR_PAUSE_MS = 500;
const tryLock = statement<{ locked: boolean }>(
  'service.lead',
  'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
);

/**
 * Has one replica of a service work at a time, under a session's advisory lock; the others stand by.
 *
 * Two may work at once for a moment when the connection with the lock is lost: the work must bear that.
 */
export class ServiceLead {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: ServiceLeadOptions) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Returns when the work has ended. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopSignal;
    while (!signal.aborted) {
      try {
        await this.lead(signal);
      } catch (error) {
        this.options.onError(error);
        await pause(jittered(ERROR_PAUSE_MS), signal);
      }
    }
  }

  /** Holds the lock on a connection of its own: when that connection dies, the lock is free for another. */
  private async lead(stopping: AbortSignal): Promise<void> {
    const { database, name, work } = this.options;
    const client = await database.connect();
    const lost = new AbortController();
    const onLost = (): void => lost.abort();
    client.on('error', onLost).on('end', onLost);
    try {
      const over = AbortSignal.any([lost.signal, stopping]);
      for (;;) {
        const { rows } = await client.query<{ locked: boolean }>(prepared(tryLock, [name]));
        if (rows[0]?.locked === true) break;
        await pause(jittered(STANDBY_PAUSE_MS), over);
        if (over.aborted) return;
      }
      await work(over);
    } finally {
      client.removeListener('error', onLost).removeListener('end', onLost);
      // Closing the session is what frees the lock.
      client.release(true);
    }
  }
}
