import { hashPassword } from './organization/password/password.policy.js';
import type { Role } from './organization/people.contract.js';
import { hashOfKey, mintKey } from './organization/api-key/api-key.policy.js';

/** Runs one statement as a role that may write every schema; the seed has its own connection. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly unknown[] }>;

/** A person to be made, as a member of the organization. */
export interface UserSeed {
  readonly id: string;
  readonly membershipId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** The password itself; only its hash is stored. */
  readonly password: string;
}

/** An organization to be made, with one key. */
export interface OrganizationSeed {
  readonly id: string;
  readonly name: string;
  readonly plan: 'TRIAL' | 'STARTER' | 'GROWTH' | 'SCALE';
  readonly keyId: string;
  /** The secret itself; only its hash is stored. */
  readonly apiKey: string;
  readonly users: readonly UserSeed[];
}

/** A new key's secret. */
export function newApiKey(): string {
  return mintKey().secret;
}

/** Makes organizations, keys and people that do not exist yet; what exists is left as it is. */
export async function seedOrganizations(run: RunSql, organizations: readonly OrganizationSeed[]): Promise<void> {
  for (const { id, name, plan, keyId, apiKey, users } of organizations) {
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
    for (const user of users) await seedUser(run, id, user);
  }
}

/** A hash takes a while, and a start should not: what is there is not hashed again. */
async function seedUser(run: RunSql, organizationId: string, user: UserSeed): Promise<void> {
  const { rows } = await run('SELECT id FROM gateway.user_account WHERE id = $1', [user.id]);
  if (rows.length > 0) return;
  const { id, email, name, membershipId, role } = user;
  await run('INSERT INTO gateway.user_account (id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
    id,
    email,
    name,
    await hashPassword(user.password),
  ]);
  await run('INSERT INTO gateway.membership (id, organization_id, user_id, role) VALUES ($1, $2, $3, $4)', [
    membershipId,
    organizationId,
    id,
    role,
  ]);
}
