import pg from 'pg';

const LOOK_EVERY_MS = 50;
/** Of a statement's text. */
const TEXT_MAX = 70;
const SHOWN_MAX = 8;

/** A session that waits for a lock at this moment. */
interface Wait {
  readonly session: string;
  readonly service: string;
  readonly text: string;
}

/** Which statements wait for locks, from looks at all sessions: what a slow row is explained by. */
export class LockWaits {
  private readonly waits = new Map<string, { ended: number; last: Set<string> }>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  private constructor(private readonly client: pg.Client) {}

  static async watch(databaseUrl: string): Promise<LockWaits> {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    const waits = new LockWaits(client);
    waits.next();
    return waits;
  }

  /** Ends the watch. @returns the statements that waited most often, each with its service and how often */
  async end(): Promise<string> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.looking;
    await this.client.end();
    return [...this.waits]
      .map(([statement, { ended, last }]) => ({ statement, count: ended + last.size }))
      .toSorted((a, b) => b.count - a.count)
      .slice(0, SHOWN_MAX)
      .map(({ statement, count }) => `${count} × ${statement}`)
      .join(', ');
  }

  private next(): void {
    this.timer = setTimeout(() => {
      // What cannot be asked explains nothing, and is no fault of what is watched.
      this.looking = this.look().catch(() => undefined);
      void this.looking.then(() => this.timer && this.next());
    }, LOOK_EVERY_MS);
  }

  private async look(): Promise<void> {
    const { rows } = await this.client.query<Wait>(
      `SELECT pid || ' ' || query_start AS session, application_name AS service,
         left(regexp_replace(query, '\\s+', ' ', 'g'), ${TEXT_MAX}) AS text
       FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    const now = Map.groupBy(rows, ({ service, text }) => `${service}: ${text}`);
    for (const statement of now.keys()) {
      if (!this.waits.has(statement)) this.waits.set(statement, { ended: 0, last: new Set() });
    }
    for (const [statement, seen] of this.waits) {
      const last = new Set(now.get(statement)?.map(({ session }) => session));
      seen.ended += [...seen.last].filter((session) => !last.has(session)).length;
      seen.last = last;
    }
  }
}
