import { hashOfKey, mintKey } from './organization/api-key/api-key.policy.js';

/** Runs one statement as a role that may write every schema; the seed has its own connection. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<unknown>;

/** An organization to be made, with one key. */
export interface OrganizationSeed {
  readonly id: string;
  readonly name: string;
  readonly plan: 'TRIAL' | 'STARTER' | 'GROWTH' | 'SCALE';
  readonly keyId: string;
  /** The secret itself; only its hash is stored. */
  readonly apiKey: string;
}

/** A new key's secret. */
export function newApiKey(): string {
  return mintKey().secret;
}

/** Makes organizations and keys that do not exist yet; what exists is left as it is. */
export async function seedOrganizations(run: RunSql, organizations: readonly OrganizationSeed[]): Promise<void> {
  for (const { id, name, plan, keyId, apiKey } of organizations) {
    await run('INSERT INTO gateway.organization (id, name, plan) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      id,
      name,
      plan,
    ]);
    await run(
      `INSERT INTO gateway.api_key (id, organization_id, label, prefix, secret_hash)
       VALUES ($1, $2, 'Demonstration', $3, $4) ON CONFLICT DO NOTHING`,
      [keyId, id, apiKey.slice(0, 12), Buffer.from(hashOfKey(apiKey), 'hex')],
    );
  }
}
