import { withDeadline } from '@switchboard/timing';
import type pg from 'pg';
import { cut, TracedClient } from './traced-client.js';

/** On of a server in recovery as well. */
const TAKES_WRITES = "SELECT current_setting('transaction_read_only') = 'off' AS answer";
/** As long as a check of health takes at most: the next one asks anew. */
const APART_WITHIN_MS = 2_000;

/** Asks whether the server answers a service, and takes its writes, whatever the connections of its pool are busy with. */
export class AnswerProbe {
  private apart: Promise<boolean> | null = null;

  /** @param poolMax connections that the pool may have */
  constructor(
    private readonly pool: pg.Pool,
    private readonly poolMax: number,
  ) {}

  /**
   * Resolves when the server has answered. A pool all of whose connections are in use is passed by, with one connection more, one at a
   * time for however many ask: its queue says how much there is to do, not whether the server is there.
   *
   * @returns whether it takes writes; what a new connection finds, since one of the pool may be of a server that was the primary
   * @throws when the server cannot be reached, refuses the role, or does not answer the connection more within 2 s
   */
  async ask(): Promise<boolean> {
    const { idleCount, totalCount, waitingCount } = this.pool;
    if (waitingCount === 0 && (idleCount > 0 || totalCount < this.poolMax) && (await this.askPool())) return true;
    this.apart ??= this.askApart().finally(() => {
      this.apart = null;
    });
    return this.apart;
  }

  /** A connection that takes no writes is closed, as behind a write that it refuses. */
  private async askPool(): Promise<boolean> {
    const client = await this.pool.connect();
    let isFit = false;
    try {
      isFit = await takesWrites(client);
      return isFit;
    } finally {
      client.release(!isFit);
    }
  }

  private async askApart(): Promise<boolean> {
    const client = new TracedClient(this.pool.options);
    try {
      const answer = await withDeadline(connected(client).then(takesWrites), APART_WITHIN_MS, () => {
        throw new Error('the database does not answer');
      });
      client.end().catch(() => undefined);
      return answer;
    } catch (error) {
      // It would wait for the answer before it ends, and of a server that stands still none comes.
      cut(client);
      throw error;
    }
  }
}

async function connected(client: pg.Client): Promise<pg.Client> {
  await client.connect();
  return client;
}

async function takesWrites(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(TAKES_WRITES);
  return rows[0]?.answer ?? false;
}
