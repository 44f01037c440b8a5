import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { Relay } from '@switchboard/outbox';
import { createLog } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { SecretBox } from '@switchboard/secrets';
import { FakeClock, testServers } from '@switchboard/testing';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { ChangeContacts } from '../contact/change-contacts.js';
import { ContactRepository } from '../contact/contact.repository.js';
import { HeldOptOutRepository } from '../held-opt-out/held-opt-out.repository.js';
import { NumberHashes } from '../held-opt-out/number-hash.js';
import { contactsMigrations } from '../migrations/all.js';
import { resolveContacts } from './resolve-contacts.js';
import { fillContacts } from '../seed.js';
import { AccountWalkRepository } from './account-walk.repository.js';
import { JoinAccountsWorker } from './join-accounts.worker.js';

const servers = testServers();
const log = createLog('contacts', { write: () => undefined });
// Two forms of one subscriber, which no rule knows.
const [WRITTEN, ACCOUNT] = ['+5531925551234', '+553125551234'];
const OTHER = '+12015550109';
let superuser: Database;
let batch: ChangeContactsBatch;
let worker: JoinAccountsWorker;
let repository: AccountWalkRepository;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('contacts', contactsMigrations);
  superuser = await prepared.superuser();
  const database = await prepared.database();
  const relay = { wake: () => undefined } as Partial<Relay> as Relay;
  const held = new HeldOptOutRepository(
    database,
    new NumberHashes(new SecretBox({ current: Buffer.alloc(32, 7), previous: null })),
  );
  const channels = new ChannelRepository(database);
  const clock = new FakeClock();
  batch = new ChangeContactsBatch(
    new ChangeContacts(database, new ContactRepository(database), channels, held, relay, clock),
  );
  repository = new AccountWalkRepository(database);
  worker = new JoinAccountsWorker(repository, batch, clock, log);
});

const run = (sql: string, values: readonly unknown[] = []): Promise<{ id: string }[]> =>
  superuser.dataSource.query(sql, [...values]);

async function see(organizationId: string, sighting: Partial<ContactSighting>): Promise<ContactFacts> {
  const whole = { phone: null, profileName: null, messagingId: null, ...sighting };
  const [contact] = (await batch.change(resolveContacts(organizationId, [whole], null))).contacts;
  if (!contact) throw new Error('there is no contact');
  return contact;
}

/** As the release before stored what the upstream answered to a send, where its number had a contact. */
const leftApart = (id: string, messagingId: string): Promise<unknown> =>
  run('UPDATE contacts.contact SET messaging_id = $2, version = version + 1 WHERE id = $1', [id, messagingId]);

const rounds = async (): Promise<number> => {
  for (let done = 1; ; done++) if ((await worker.round()) === false) return done;
};

describe('contacts of one account that were left apart', () => {
  it('are joined by one walk over all, which begins when the release before is gone and is over at its end', async () => {
    const sent = await see('cpair', { phone: WRITTEN });
    const wrote = await see('cpair', {
      phone: ACCOUNT,
      messagingId: ACCOUNT.slice(1),
      preference: { channelId: 'cchannel1', value: 'stop', source: 'KEYWORD' },
      statement: { id: 'wamid.1', at: '2026-01-01T00:00:00.000Z' },
    });
    await leftApart(sent.id, ACCOUNT.slice(1));
    // By its own last answer it is of another account.
    const [one, other] = [await see('capart', { phone: WRITTEN }), await see('capart', { phone: ACCOUNT })];
    await leftApart(one.id, ACCOUNT.slice(1));
    await leftApart(other.id, OTHER.slice(1));
    const client = superuser.dataSource.createQueryRunner();
    const fill = (sql: string, values: readonly unknown[]): Promise<unknown> => client.query(sql, [...values]);
    await fillContacts(fill, { organizationId: 'cmany', contacts: 2_500, channelIds: [] });
    await client.release();
    // What was sent to finds it as it is: nothing reports the id again.
    expect((await see('cpair', { phone: WRITTEN })).optOuts).toEqual([]);

    expect(await worker.round()).toBe(false);
    expect((await see('cpair', { phone: WRITTEN })).optOuts).toEqual([]);
    await run('UPDATE contacts.account_walk SET due_at = now()');
    expect(await rounds()).toBe(4);
    expect(await see('cpair', { phone: WRITTEN })).toMatchObject({
      id: sent.id,
      phoneForms: [ACCOUNT, WRITTEN],
      optOuts: [{ channelId: 'cchannel1' }],
    });
    expect((await see('cpair', { phone: ACCOUNT })).id).toBe(sent.id);
    expect(await run('SELECT id FROM contacts.contact WHERE merged_into IS NOT NULL')).toEqual([{ id: wrote.id }]);
    expect((await see('capart', { phone: ACCOUNT })).id).toBe(other.id);
    expect(await run('SELECT id FROM contacts.account_walk')).toEqual([]);
    expect(await rounds()).toBe(1);
  });

  it('stay as the upstream says by now, where the walk has read what it said before', async () => {
    const [sent, wrote] = [await see('cread', { phone: WRITTEN }), await see('cread', { phone: ACCOUNT })];
    await leftApart(sent.id, ACCOUNT.slice(1));
    const from = { organizationId: 'cread', id: '' };
    const slice = await repository.slice(from, 10);
    const answered = await see('cread', { phone: WRITTEN, messagingId: OTHER.slice(1), contactId: sent.id });
    const readBefore: Partial<AccountWalkRepository> = {
      find: async () => from,
      slice: async () => slice,
      advance: async () => undefined,
    };
    await new JoinAccountsWorker(readBefore as AccountWalkRepository, batch, new FakeClock(), log).round();
    expect(slice.map(({ accountOf }) => accountOf)).toContain(wrote.id);
    expect(await see('cread', { phone: WRITTEN })).toEqual(answered);
    expect(await see('cread', { phone: ACCOUNT })).toEqual(wrote);
  });

  it('have an opt-out that no START lifts where one of them has', async () => {
    const stop = (phone: string): Promise<ContactFacts> =>
      see('cboth', {
        phone,
        preference: { channelId: 'cchannel1', value: 'stop', source: 'KEYWORD' },
        statement: { id: 'wamid.1', at: '2026-01-01T00:00:00.000Z' },
      });
    const [sent, wrote] = [await stop(WRITTEN), await stop(ACCOUNT)];
    await run(`UPDATE contacts.opt_out SET source = 'API', reason = 'asked' WHERE contact_id = $1`, [wrote.id]);
    await see('cboth', { phone: WRITTEN, messagingId: ACCOUNT.slice(1), contactId: sent.id });
    expect(
      await run(`SELECT contact_id AS id, source, reason FROM contacts.opt_out WHERE organization_id = 'cboth'`),
    ).toEqual([{ id: sent.id, source: 'API', reason: 'asked' }]);
  });
});
