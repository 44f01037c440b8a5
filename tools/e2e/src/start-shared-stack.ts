import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { startStack, type DevJson, type SeededOrganization } from '@switchboard/dev';
import { newApiKey } from '@switchboard/gateway/seed';
import type { StartShared } from '@switchboard/testing/start-shared';
import { StackDatabase } from './stack-database.js';
import { preparedData } from './start-own-stack.js';

const run = promisify(execFile);
const seedPrograms = resolve(import.meta.dirname, '..', '..', 'seed', 'dist');

/** What the seed keeps of an organization, as far as it must differ from one file of tests to the next. */
interface Kept {
  readonly users: readonly { readonly email: string }[];
  readonly channels: readonly { readonly phoneNumberId: string }[];
}

/** What a file needs to use it. */
export interface SharedAccess {
  /** With organizations that are the file's alone. */
  readonly devJson: DevJson;
  /** For the operator's programs. */
  readonly dataDir: string;
}

/**
 * Starts a stack that files share, one after the other: those that kill nothing, configure nothing and count nothing that
 * others move. Each gets organizations of its own, and the upstream knows theirs alone.
 */
export const startSharedStack: StartShared = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-e2e-'));
  const stack = await startStack({ dataDir, quiet: true, prepared: await preparedData() });
  const hashes = await passwordHashes(stack.devJson);
  let uses = 0;
  const access = async (): Promise<SharedAccess> => {
    const organizations = await seedAnew({ devJson: stack.devJson, dataDir }, hashes, ++uses);
    return { devJson: { ...stack.devJson, organizations }, dataDir };
  };
  return { access, end: () => stack.destroy() };
};

/** Of the people whom the stack began with, by email: a hash is most of what a seeding costs. */
async function passwordHashes(devJson: DevJson): Promise<ReadonlyMap<string, string>> {
  const database = await StackDatabase.open({ devJson });
  const rows = await database.query<{ email: string; hash: string }>(
    'SELECT email, password_hash AS hash FROM gateway.user_account',
  );
  await database.close();
  return new Map(rows.map(({ email, hash }) => [email, hash]));
}

/** Seeds the three organizations once more, with ids, keys and lines that none of the others has. */
async function seedAnew(
  { devJson, dataDir }: SharedAccess,
  hashes: ReadonlyMap<string, string>,
  use: number,
): Promise<SeededOrganization[]> {
  const kept = JSON.parse(await readFile(join(dataDir, 'demo-keys.json'), 'utf8')) as Kept[];
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  const keysFile = join(dataDir, `demo-keys-${use}.json`);
  await writeFile(
    keysFile,
    JSON.stringify(kept.map((one, index) => renewed(one, hashes, `${String(use).padStart(3, '0')}${index}`))),
    { mode: 0o600 },
  );
  const environment = {
    DATABASE_URL: devJson.databaseUrl,
    SIMULATOR_URL: devJson.simulatorUrl,
    CREDENTIALS_KEY: secrets['credentials key'],
    KEYS_FILE: keysFile,
  };
  const { stdout } = await run(process.execPath, [join(seedPrograms, 'main.js')], { env: environment });
  const organizations = JSON.parse(stdout) as SeededOrganization[];
  const { DATABASE_URL, KEYS_FILE } = environment;
  const awaited = await run(process.execPath, [join(seedPrograms, 'await-templates.js')], {
    env: { DATABASE_URL, KEYS_FILE },
  });
  const templates = JSON.parse(awaited.stdout) as Readonly<Record<string, SeededOrganization['templates']>>;
  return organizations.map((one) => ({ ...one, templates: templates[one.id] ?? [] }));
}

/** @param use four digits that no other organization has: numbers that are filled up with zeros stay different */
function renewed(kept: Kept, hashes: ReadonlyMap<string, string>, use: string): unknown {
  return {
    ...kept,
    id: newCuid(),
    keyId: newCuid(),
    apiKey: newApiKey(),
    businessAccountId: `2022${use}`.padEnd(15, '0'),
    accessToken: `simulator-${newCuid()}`,
    users: kept.users.map((user) => ({
      ...user,
      id: newCuid(),
      membershipId: newCuid(),
      email: `${use}.${user.email}`,
      // The password stays the same.
      passwordHash: hashes.get(user.email),
    })),
    channels: kept.channels.map((channel) => ({
      ...channel,
      id: newCuid(),
      // Of fifteen digits, as the provider's; the last eight are the line's number.
      phoneNumberId: `3${use}`.padEnd(7, '0') + channel.phoneNumberId.slice(-8),
    })),
  };
}
