import { migrate } from '@switchboard/postgres';
import { withClient } from './with-client.js';

/**
 * Makes a database on the server of a stack, with schemas that services have.
 *
 * @param schemas their migrations by name
 * @returns its URL, of the same role
 */
export async function makeDatabase(
  superuserUrl: string,
  name: string,
  schemas: Readonly<Record<string, Parameters<typeof migrate>[0]['migrations']>>,
): Promise<string> {
  const url = new URL(superuserUrl);
  const serviceRole = decodeURIComponent(url.username);
  await withClient(url.href, (client) => client.query(`CREATE DATABASE ${name}`));
  url.pathname = `/${name}`;
  for (const [schema, migrations] of Object.entries(schemas)) {
    await withClient(url.href, (client) => client.query(`CREATE SCHEMA ${schema}`));
    await migrate({ url: url.href, schema, migrations, serviceRole });
  }
  return url.href;
}
