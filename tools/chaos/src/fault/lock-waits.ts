import { setTimeout as wait } from 'node:timers/promises';
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
  private isStopping = false;
  private readonly looking: Promise<string>;

  private constructor(private readonly client: pg.Client) {
    this.looking = this.lookOn();
  }

  static async watch(databaseUrl: string): Promise<LockWaits> {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    return new LockWaits(client);
  }

  /** Ends the watch. @returns the statements that waited most often, each with its service and how often */
  async end(): Promise<string> {
    this.isStopping = true;
    const failure = await this.looking;
    await this.client.end();
    const most = [...this.waits]
      .map(([statement, { ended, last }]) => ({ statement, count: ended + last.size }))
      .toSorted((a, b) => b.count - a.count)
      .slice(0, SHOWN_MAX)
      .map(({ statement, count }) => `${count} × ${statement}`);
    return [...most, failure].filter(Boolean).join(', ');
  }

  /** Never rejects. @returns why it could not look any more; empty when it was ended */
  private async lookOn(): Promise<string> {
    try {
      for (; !this.isStopping; await wait(LOOK_EVERY_MS)) await this.look();
      return '';
    } catch (error) {
      return `the watch failed: ${String(error)}`;
    }
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
