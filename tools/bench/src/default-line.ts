import type pg from 'pg';

/** The provider's id of the line that an organization sends from by default. */
export async function defaultLineOf(client: pg.Client, organizationId: string): Promise<string> {
  const lines = await client.query<{ id: string }>(
    'SELECT phone_number_id AS id FROM messaging.channel WHERE organization_id = $1 AND is_default',
    [organizationId],
  );
  const [line] = lines.rows;
  if (!line) throw new Error('the organization has no default channel');
  return line.id;
}
