import { createHash } from 'node:crypto';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { newApiKey } from '@switchboard/gateway/seed';
import type { RunningStack } from '@switchboard/dev';
import pg from 'pg';

/** What an operator may change of an organization; what is left out is the plan's own again. */
export interface OrganizationTerms {
  readonly status?: 'ACTIVE' | 'PAST_DUE' | 'CANCELED';
  readonly requestsPerMinute?: number;
  readonly burst?: number;
  readonly messagesPerMonth?: number;
}

/** A stack's database, as an administrator sees it. */
export class StackDatabase {
  private constructor(private readonly client: pg.Client) {}

  static async open({ devJson }: Pick<RunningStack, 'devJson'>): Promise<StackDatabase> {
    const client = new pg.Client({ connectionString: devJson.databaseUrl });
    // The server ends before its tests do.
    client.on('error', () => undefined);
    await client.connect();
    return new StackDatabase(client);
  }

  async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(sql, [...values])).rows;
  }

  /** Sets an organization's terms, with a rate limit that has rested. */
  async setTerms(organizationId: string, terms: OrganizationTerms): Promise<void> {
    await this.query(
      `UPDATE gateway.organization SET subscription_status = $2, requests_per_minute = $3, request_burst = $4,
         messages_per_month = $5 WHERE id = $1`,
      [organizationId, terms.status ?? 'ACTIVE', terms.requestsPerMinute, terms.burst, terms.messagesPerMonth],
    );
    await this.query('DELETE FROM gateway.rate_limit WHERE organization_id = $1', [organizationId]);
  }

  /** Makes a key with a list of scopes. @returns its secret */
  async issueKey(organizationId: string, scopes: readonly string[]): Promise<string> {
    const secret = newApiKey();
    await this.query(
      `INSERT INTO gateway.api_key (id, organization_id, label, prefix, secret_hash, scopes)
       VALUES ($1, $2, 'Test', $3, $4, $5)`,
      [newCuid(), organizationId, secret.slice(0, 12), createHash('sha256').update(secret).digest(), scopes],
    );
    return secret;
  }

  /** What the organization has used of this month's quota, and what its messages add up to. */
  async quota(organizationId: string): Promise<{ readonly used: number; readonly counted: number }> {
    const [row] = await this.query<{ used: number; counted: number }>(
      `SELECT coalesce((SELECT used FROM messaging.quota WHERE organization_id = $1 AND month = this.month), 0)::int AS used,
         messaging.quota_counted($1, this.month)::int AS counted
       FROM (SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month) AS this`,
      [organizationId],
    );
    return row ?? { used: 0, counted: 0 };
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
