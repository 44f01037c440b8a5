import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { hashPassword } from '../src/organization/password/password.policy.js';
import type { Role } from '../src/organization/people.contract.js';

/** The password of everybody that `makeMember` makes: one hash for all. */
export const PASSWORD = 'correct horse battery staple';
let passwordHash: Promise<string> | undefined;
let people = 0;

/** A person as a test uses them. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Makes an organization. */
export async function makeOrganization(
  { dataSource }: Database,
  wish: { readonly name?: string; readonly plan?: string; readonly seats?: number } = {},
): Promise<string> {
  const id = newCuid();
  await dataSource.query('INSERT INTO gateway.organization (id, name, plan, seats_max) VALUES ($1, $2, $3, $4)', [
    id,
    wish.name ?? 'Test',
    wish.plan ?? 'SCALE',
    wish.seats ?? null,
  ]);
  return id;
}

/** Makes a person. */
export async function makePerson({ dataSource }: Database): Promise<Person> {
  const person = { id: newCuid(), email: `person-${++people}@people.example`, password: PASSWORD };
  await dataSource.query('INSERT INTO gateway.user_account (id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
    person.id,
    person.email,
    `Person ${people}`,
    await (passwordHash ??= hashPassword(PASSWORD)),
  ]);
  return person;
}

/** Makes a membership. @returns its id */
export async function join(
  { dataSource }: Database,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<string> {
  const id = newCuid();
  await dataSource.query(
    'INSERT INTO gateway.membership (id, organization_id, user_id, role) VALUES ($1, $2, $3, $4)',
    [id, organizationId, userId, role],
  );
  return id;
}

/** Makes a person who belongs to an organization: a new one unless it is named. */
export async function makeMember(
  database: Database,
  role: Role = 'OWNER',
  organizationId?: string,
): Promise<Person & { readonly organizationId: string; readonly membershipId: string }> {
  const organization = organizationId ?? (await makeOrganization(database));
  const person = await makePerson(database);
  return { ...person, organizationId: organization, membershipId: await join(database, organization, person.id, role) };
}
