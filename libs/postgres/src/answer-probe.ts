import { withDeadline } from '@switchboard/timing';
import type pg from 'pg';
import { cut, TracedClient } from './traced-client.js';

const PING = 'SELECT 1';
/** As long as a check of health takes at most: the next one asks anew. */
const APART_WITHIN_MS = 2_000;

/** Asks whether the server answers a service, whatever the connections of its pool are busy with. */
export class AnswerProbe {
  private apart: Promise<void> | null = null;

  /** @param poolMax connections that the pool may have */
  constructor(
    private readonly pool: pg.Pool,
    private readonly poolMax: number,
  ) {}

  /**
   * Resolves when the server has answered. A pool all of whose connections are in use is passed by, with one connection more, one at a
   * time for however many ask: its queue says how much there is to do, not whether the server is there.
   *
   * @throws when the server cannot be reached, refuses the role, or does not answer the connection more within 2 s
   */
  async ask(): Promise<void> {
    const { idleCount, totalCount, waitingCount } = this.pool;
    if (waitingCount === 0 && (idleCount > 0 || totalCount < this.poolMax)) {
      await this.pool.query(PING);
      return;
    }
    this.apart ??= this.askApart().finally(() => {
      this.apart = null;
    });
    await this.apart;
  }

  private async askApart(): Promise<void> {
    const client = new TracedClient(this.pool.options);
    try {
      await withDeadline(pinged(client), APART_WITHIN_MS, () => {
        throw new Error('the database does not answer');
      });
    } catch (error) {
      // It would wait for the answer before it ends, and of a server that stands still none comes.
      cut(client);
      throw error;
    }
    client.end().catch(() => undefined);
  }
}

async function pinged(client: pg.Client): Promise<void> {
  await client.connect();
  await client.query(PING);
}
