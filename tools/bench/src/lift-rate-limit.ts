import type pg from 'pg';

/** Lifts the organization's rate limit, which is not what is measured. */
export async function liftRateLimit(client: pg.Client, organizationId: string): Promise<void> {
  await client.query(
    'UPDATE gateway.organization SET requests_per_minute = 60000000, request_burst = 1000000 WHERE id = $1',
    [organizationId],
  );
}
