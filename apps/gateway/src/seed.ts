import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@switchboard/postgres';
import { hashOfKey, mintKey } from './identity/api-key/api-key.policy.js';
import type { Act, AuditAction, AuditedState } from './identity/audit.contract.js';
import { appendAudit } from './identity/audit/audit.repository.js';
import { hashPassword } from './identity/password/password.policy.js';
import type { Role } from './identity/signed-in.contract.js';

const KEY_LABEL = 'Demonstration';
const ADVICE = 'Begin with empty data (--reset), or bring back the demo-keys.json of that folder.';

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
  /** That of the same password, made before; a new one otherwise. */
  readonly passwordHash?: string;
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

/**
 * Makes organizations, keys and people that do not exist yet; what exists is left as it is. An organization is made whole
 * or not at all, and what is made is in its audit log.
 *
 * @param run runs statements on one connection, BEGIN and COMMIT among them
 */
export async function seedOrganizations(run: RunSql, organizations: readonly OrganizationSeed[]): Promise<void> {
  for (const organization of organizations) {
    await run('BEGIN', []);
    try {
      // Statements name their tables without the schema, as on the service's own connections.
      await run('SET LOCAL search_path TO gateway', []);
      await seedOrganization(run, organization);
      await run('COMMIT', []);
    } catch (error) {
      await run('ROLLBACK', []);
      throw error;
    }
  }
}

type Recorder = (action: AuditAction, after: AuditedState) => void;

async function seedOrganization(run: RunSql, organization: OrganizationSeed): Promise<void> {
  const { id, name, plan, keyId, apiKey, users } = organization;
  const entries: (readonly [string, readonly unknown[]])[] = [];
  const tx: Transaction = {
    query: () => Promise.reject(new Error('the seed appends only')),
    atCommit: ({ text }, values) => void entries.push([text, values]),
  };
  const act: Act = { organizationId: id, actor: { type: 'system' }, address: null, traceId: null };
  const record: Recorder = (action, after) => appendAudit(tx, { ...act, action, before: null, after });
  const made = await run(
    'INSERT INTO organization (id, name, plan) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [id, name, plan],
  );
  if (made.rows.length > 0) record('organization.created', { name, plan });
  const prefix = apiKey.slice(0, 12);
  const keys = await run(
    `INSERT INTO api_key (id, organization_id, label, prefix, secret_hash) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING RETURNING id`,
    [keyId, id, KEY_LABEL, prefix, Buffer.from(hashOfKey(apiKey), 'hex')],
  );
  if (keys.rows.length > 0) {
    record('api-key.created', { id: keyId, label: KEY_LABEL, prefix, scopes: null, revokedAt: null });
  }
  for (const user of users) await seedUser(run, id, user, record);
  for (const [text, values] of entries) await run(text, values);
}

/**
 * A hash takes a while, and a start should not: what is there is not hashed again. A person without the membership was left
 * behind by a start that was killed, and gets it; one who was removed from the organization stays out.
 */
async function seedUser(run: RunSql, organizationId: string, user: UserSeed, record: Recorder): Promise<void> {
  const { id, email, name, membershipId, role, password } = user;
  const known = await run('SELECT id FROM user_account WHERE id = $1 OR email = $2', [id, email]);
  if (known.rows.length === 0) {
    const passwordHash = user.passwordHash ?? (await hashPassword(password));
    const values = [id, email, name, passwordHash];
    await run('INSERT INTO user_account (id, email, name, password_hash) VALUES ($1, $2, $3, $4)', values);
  } else if (!isDeepStrictEqual(known.rows, [{ id }])) {
    throw new Error(
      `${email} is somebody else's in this database, which was seeded from another data folder. ${ADVICE}`,
    );
  }
  const { rows } = await run(
    `INSERT INTO membership (id, organization_id, user_id, role)
     SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT FROM audit_entry
       WHERE organization_id = $2 AND action = 'member.removed' AND before ->> 'userId' = $3)
     ON CONFLICT DO NOTHING RETURNING id`,
    [membershipId, organizationId, id, role],
  );
  if (rows.length > 0) record('member.added', { id: membershipId, userId: id, email, role });
}
