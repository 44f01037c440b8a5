import { request, type ClientRequest } from 'node:http';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import type { Database } from '@switchboard/postgres';
import { hashPassword } from '../src/identity/password/password.policy.js';
import type { Role } from '../src/identity/signed-in.contract.js';
import { mintSecret } from '../src/identity/secret/secret.policy.js';

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
  input: { readonly name?: string; readonly plan?: string; readonly seats?: number } = {},
): Promise<string> {
  const id = newCuid();
  await dataSource.query('INSERT INTO gateway.organization (id, name, plan, seats_max) VALUES ($1, $2, $3, $4)', [
    id,
    input.name ?? 'Test',
    input.plan ?? 'SCALE',
    input.seats ?? null,
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

/** Makes a live session. @returns its id */
export async function makeSession({ dataSource }: Database, organizationId: string, userId: string): Promise<string> {
  const id = newCuid();
  await dataSource.query(
    `INSERT INTO gateway.session (id, secret_hash, user_id, organization_id, signed_in_at, last_seen_at)
     VALUES ($1, $2, $3, $4, now(), now())`,
    [id, mintSecret().secretHash, userId, organizationId],
  );
  return id;
}

/**
 * Sends the head of a request by somebody who is signed in, and returns when it was let in: its body is held back.
 *
 * That a session was used is written by the statement that admits, once a minute: what is older is moved on by it.
 *
 * @returns sends the body and answers the status
 */
export async function sendHead(
  { dataSource }: Database,
  client: AppClient,
  target: { readonly url: string; readonly method: string; readonly path: string; readonly userId: string },
): Promise<(body: unknown) => Promise<number>> {
  const { url, method, path, userId } = target;
  await dataSource.query(`UPDATE gateway.session SET last_seen_at = now() - interval '10 minutes' WHERE user_id = $1`, [
    userId,
  ]);
  const headers = {
    origin: url,
    cookie: client.cookie ?? '',
    'x-csrf-token': client.csrfToken ?? '',
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  };
  const open: ClientRequest = request(new URL(path, url), { method, headers });
  const answered = new Promise<number>((resolve, reject) => {
    open.once('error', reject);
    open.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
  });
  open.flushHeaders();
  const used = `SELECT FROM gateway.session WHERE user_id = $1 AND last_seen_at > now() - interval '5 minutes'`;
  await eventually(async () => (await dataSource.query(used, [userId])).length > 0);
  return (body) => {
    open.end(JSON.stringify(body));
    return answered;
  };
}

/**
 * Makes waits after wrong attempts an hour longer, those that have begun: the first lasts a second, and a busy machine takes
 * that long to ask.
 */
export async function lengthenWaits({ dataSource }: Database): Promise<void> {
  await dataSource.query(
    `UPDATE gateway.login_throttle SET next_attempt_at = next_attempt_at + interval '1 hour'
     WHERE next_attempt_at > last_attempt_at`,
  );
}
