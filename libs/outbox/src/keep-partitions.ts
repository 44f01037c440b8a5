import { statement, type Database } from '@switchboard/postgres';

const keepOutbox = statement('outbox.keep-partitions', 'SELECT keep_outbox_partitions($1)');

/** Days of outbox and inbox kept; the streams hold 7, and what a stream loses is replayed from here. */
export const OUTBOX_RETENTION_DAYS = 8;
const INTERVAL_MS = 60 * 60 * 1_000;

/** Makes the partitions of the days ahead and drops those past retention, at start and every hour. */
export class PartitionKeeper {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  /** @param more what else the service partitions */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
    private readonly more: () => Promise<void> = () => Promise.resolve(),
  ) {}

  start(): void {
    this.timer = setInterval(() => this.keep(), INTERVAL_MS);
    this.keep();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private keep(): void {
    this.running = this.running
      .then(() => this.database.query(keepOutbox, [OUTBOX_RETENTION_DAYS]))
      .then(() => this.more())
      .catch(this.onError);
  }
}
