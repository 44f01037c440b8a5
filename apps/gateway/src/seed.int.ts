import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers, type ServiceDatabase } from '@switchboard/testing';
import pg from 'pg';
import { appendEntry, entryOf, verifyChain } from '../test/audit-chains.js';
import { gatewayMigrations } from './migrations/all.js';
import { newApiKey, seedOrganizations, type OrganizationSeed } from './seed.js';

const servers = testServers();
let prepared: ServiceDatabase;
let superuser: Database;

beforeAll(async () => {
  prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  superuser = await prepared.superuser();
});

const sql = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  superuser.dataSource.query(text, values);

let made = 0;
function seedOf(): OrganizationSeed & { readonly users: readonly [OrganizationSeed['users'][number]] } {
  const user = { id: newCuid(), membershipId: newCuid(), email: `owner@seed-${++made}.example`, name: 'Owner' };
  return {
    id: newCuid(),
    name: 'Seeded',
    plan: 'SCALE',
    keyId: newCuid(),
    apiKey: newApiKey(),
    users: [{ ...user, role: 'OWNER', password: 'correct horse battery staple' }],
  };
}

/** Seeds on a connection of its own. @param callsMax after which the seed is killed @returns how many it made */
async function seed(organization: OrganizationSeed, callsMax = Infinity): Promise<number> {
  const client = new pg.Client({ connectionString: prepared.superuserUrl });
  await client.connect();
  let calls = 0;
  try {
    await seedOrganizations(
      (text, values) => {
        if (++calls > callsMax) throw new Error('killed');
        return client.query(text, [...values]);
      },
      [organization],
    );
  } finally {
    await client.end();
  }
  return calls;
}

const log = ({ id }: OrganizationSeed): Promise<Record<string, unknown>[]> =>
  sql('SELECT action, actor_type, after FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence', [id]);
const members = ({ id }: OrganizationSeed): Promise<Record<string, unknown>[]> =>
  sql('SELECT user_id AS id, id AS "membershipId", role FROM gateway.membership WHERE organization_id = $1', [id]);

describe('the seed', () => {
  it('writes what it makes into the audit log, and nothing of what was there', async () => {
    const organization = seedOf();
    const { apiKey, keyId, users } = organization;
    const [{ id: userId, membershipId, email }] = users;
    for (let turn = 0; turn < 2; turn++) {
      await seed(organization);
      const key = { id: keyId, label: 'Demonstration', prefix: apiKey.slice(0, 12), scopes: null, revokedAt: null };
      expect(await log(organization)).toEqual([
        { action: 'organization.created', actor_type: 'system', after: { name: 'Seeded', plan: 'SCALE' } },
        { action: 'api-key.created', actor_type: 'system', after: key },
        { action: 'member.added', actor_type: 'system', after: { id: membershipId, userId, email, role: 'OWNER' } },
      ]);
    }
    expect(await verifyChain(superuser, organization.id)).toMatchObject({ rows: 3, fault: null });
  });

  it('makes an organization whole or not at all, wherever it is killed', async () => {
    const statements = await seed(seedOf());
    for (let callsMax = 1; callsMax < statements; callsMax++) {
      const organization = seedOf();
      const [{ id, membershipId }] = organization.users;
      await expect(seed(organization, callsMax)).rejects.toThrow('killed');
      expect([await log(organization), await members(organization)]).toEqual([[], []]);
      await seed(organization);
      expect(await members(organization)).toEqual([{ id, membershipId, role: 'OWNER' }]);
      expect(await log(organization)).toHaveLength(3);
    }
  });

  it('gives a person the membership that a killed start of an older release left out, but not one that was removed', async () => {
    const organization = seedOf();
    const [{ id, membershipId, email }] = organization.users;
    await seed({ ...organization, users: [] });
    await sql(`INSERT INTO gateway.user_account (id, email, name, password_hash) VALUES ($1, $2, 'Owner', 'x')`, [
      id,
      email,
    ]);
    await seed(organization);
    expect(await members(organization)).toEqual([{ id, membershipId, role: 'OWNER' }]);
    await sql('DELETE FROM gateway.membership WHERE id = $1', [membershipId]);
    const act = { action: 'member.removed', before: { id: membershipId, userId: id }, after: null } as const;
    await appendEntry(superuser, entryOf(organization.id, act));
    await seed(organization);
    expect(await members(organization)).toEqual([]);
  });

  it('says in one line that the database was seeded from another data folder, and makes nothing', async () => {
    const organization = seedOf();
    const [user] = organization.users;
    await seed(organization);
    const other = { ...seedOf(), users: [{ ...user, id: newCuid(), membershipId: newCuid() }] };
    await expect(seed(other)).rejects.toThrow(/^owner@seed-\d+.example is somebody else's .*--reset.*demo-keys.json/);
    expect([await log(other), await members(other)]).toEqual([[], []]);
  });

  it('takes a hash that was made before, and makes one where there is none', async () => {
    const [first, second] = [seedOf(), seedOf()];
    const [user] = first.users;
    const passwordHash = '$argon2id$made before';
    await seed({ ...first, users: [{ ...user, passwordHash }] });
    await seed(second);
    const ids = [user.id, second.users[0].id];
    const hashes = await Promise.all(
      ids.map(
        async (id) => (await sql('SELECT password_hash AS hash FROM gateway.user_account WHERE id = $1', [id]))[0],
      ),
    );
    expect(hashes).toEqual([
      { hash: passwordHash },
      { hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) },
    ]);
  });
});
