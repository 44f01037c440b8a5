import type pg from 'pg';
import { TracedClient } from './traced-client.js';

const PING = 'SELECT 1';

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
   * @throws when the server cannot be reached, or refuses the role
   */
  async ask(): Promise<void> {
    if (this.pool.idleCount > 0 || this.pool.totalCount < this.poolMax) {
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
      await client.connect();
      await client.query(PING);
    } finally {
      // Of a server that stands still nothing comes back: the end is not waited for.
      client.end().catch(() => undefined);
    }
  }
}
