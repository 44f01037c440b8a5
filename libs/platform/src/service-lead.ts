import { holdLead } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
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

const ERROR_PAUSE_MS = 500;

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
    const { database, name, work, onError } = this.options;
    const { signal: stopping } = this.stopSignal;
    while (!stopping.aborted) {
      try {
        await holdLead({ database, name, stopping, work: async (_through, over) => work(over) });
      } catch (error) {
        onError(error);
        await pause(jittered(ERROR_PAUSE_MS), stopping);
      }
    }
  }
}
