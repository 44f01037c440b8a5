import pg from 'pg';

/** Rows that a session of the test holds, as a frozen replica would. */
export class RowLock {
  private constructor(
    private readonly client: pg.Client,
    readonly rows: number,
  ) {}

  /** Locks the rows of one organization. @param table with its schema */
  static async hold(databaseUrl: string, table: string, organizationId: string): Promise<RowLock> {
    const client = new pg.Client({ connectionString: databaseUrl });
    // The session may be cut by the end of the stage.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query('BEGIN');
      const sql = `SELECT FROM ${table} WHERE organization_id = $1 FOR UPDATE`;
      const { rowCount } = await client.query(sql, [organizationId]);
      return new RowLock(client, rowCount ?? 0);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.client.end();
  }
}
