import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  confirmErasureRpc,
  getErasureRpc,
  resolveContactsRpc,
  type ContactSighting,
  type ErasedNumbers,
} from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceNames } from '@switchboard/contracts/topology';
import { testServers } from '@switchboard/testing';
import { pruneFormerAliases } from '../src/contact/former-alias.repository.js';
import { organizationOf } from './organization.js';
import { startContacts, type RunningContacts } from './running-contacts.js';

const servers = testServers();
const [OLD, NEW] = ['+12015550101', '+12015550102'];
const MEXICO = ['+5215512345678', '+525512345678'];
let running: RunningContacts;
beforeAll(async () => void (running = await startContacts(servers)));

/** An organization, what is seen of its contacts, and what its erasures are found by. */
function world() {
  const own = organizationOf(running);
  const { principal, organizationId } = own;
  const see = async (sighting: Partial<ContactSighting>): Promise<string> => {
    const sightings = [{ phone: null, profileName: null, messagingId: null, ...sighting }];
    const { contacts } = await running.messaging.call(resolveContactsRpc, principal, { sightings });
    return contacts[0]?.id ?? '';
  };
  const rows = (sql: string): Promise<unknown[]> => running.superuser.dataSource.query(sql, [organizationId]);
  return {
    ...own,
    see,
    move: (formerPhone: string, phone: string) =>
      see({ phone, formerPhone, statement: { id: newCuid(), at: new Date().toISOString() } }),
    numbers: (contactId: string): Promise<ErasedNumbers> =>
      running.messaging.call(getErasureRpc, principal, { contactId }),
    confirm: async (contactId: string) => {
      for (const service of serviceNames) {
        await running.messaging.call(confirmErasureRpc, principal, { contactId, service });
      }
    },
    former: () => rows('SELECT alias FROM contacts.former_alias WHERE organization_id = $1 ORDER BY alias'),
    rows,
  };
}

const until = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a contact that is erased', () => {
  it('is looked for by every form that it had before its number changed, as of that moment', async () => {
    const { see, move, erase, numbers } = world();
    const id = await see({ phone: MEXICO[0] ?? '' });
    const from = Date.now();
    expect(await move(MEXICO[0] ?? '', NEW)).toBe(id);
    const to = Date.now();
    await erase(id);
    const found = await numbers(id);
    expect(found).toEqual({
      phoneForms: [NEW],
      upstreamUserIds: [],
      former: [{ phoneForms: MEXICO, upstreamUserIds: [], until }],
    });
    const moment = Date.parse(found.former?.[0]?.until ?? '');
    expect([moment >= from, moment <= to]).toEqual([true, true]);
  });

  it('is looked for by what it had before it was merged away, and frees that', async () => {
    const { see, move, erase, numbers, optOut, contact } = world();
    const left = await see({ phone: OLD, upstreamUserId: 'U.1' });
    const stays = await see({ phone: NEW });
    await optOut({ phone: OLD });
    expect(await move(OLD, NEW)).toBe(stays);
    await erase(left);
    expect(await numbers(left)).toEqual({
      phoneForms: [],
      upstreamUserIds: [],
      former: [{ phoneForms: [OLD], upstreamUserIds: ['U.1'], until }],
    });
    const stranger = await see({ phone: OLD });
    expect((await contact(stranger)).isOptedOut).toBe(false);
    expect((await contact(stays)).isOptedOut).toBe(true);
  });

  it('is looked for by the id that another contact of the same person got', async () => {
    const { see, erase, numbers } = world();
    const nameless = await see({ upstreamUserId: 'U.1' });
    await see({ phone: OLD });
    expect(await see({ phone: OLD, upstreamUserId: 'U.1' })).not.toBe(nameless);
    await erase(nameless);
    expect((await numbers(nameless)).former).toEqual([{ phoneForms: [], upstreamUserIds: ['U.1'], until }]);
  });

  it('holds its opt-outs for its number, and not for a former one', async () => {
    const { see, move, erase, optOut, contact } = world();
    const id = await see({ phone: OLD });
    await optOut({ phone: OLD });
    await move(OLD, NEW);
    await erase(id);
    expect((await contact(await see({ phone: OLD }))).isOptedOut).toBe(false);
    expect((await contact(await see({ phone: NEW }))).isOptedOut).toBe(true);
  });

  it('is forgotten with its former numbers once every service has confirmed', async () => {
    const { see, move, erase, numbers, confirm, former } = world();
    const id = await see({ phone: OLD });
    await move(OLD, NEW);
    const other = await see({ phone: OLD });
    await move(OLD, '+12015550103');
    await erase(id);
    await confirm(id);
    expect(await numbers(id)).toEqual({ phoneForms: [], upstreamUserIds: [], former: [] });
    expect(await former()).toEqual([{ alias: OLD }]);
    await erase(other);
    await confirm(other);
    expect(await former()).toEqual([]);
  });

  it('that an earlier release merged away is looked for by the number that it shows', async () => {
    const { see, move, erase, numbers, rows } = world();
    const left = await see({ phone: MEXICO[0] ?? '' });
    await see({ phone: NEW });
    await move(MEXICO[0] ?? '', NEW);
    await rows('DELETE FROM contacts.former_alias WHERE organization_id = $1 RETURNING 1');
    await erase(left);
    expect((await numbers(left)).former).toEqual([{ phoneForms: MEXICO, upstreamUserIds: [], until }]);
  });
});

it('an erased contact that a sighting names is not found, and none is made for its number', async () => {
  const { see, erase, rows } = world();
  const id = await see({ phone: OLD });
  await erase(id);
  const late = see({ contactId: id, phone: OLD, messagingId: NEW.slice(1) });
  await expect(late).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
  expect(await rows('SELECT id FROM contacts.contact WHERE organization_id = $1')).toEqual([]);
});

it('what a contact gave up is kept for so many days and then deleted, a slice at a time', async () => {
  const { see, move, former, rows } = world();
  const numbers = [1, 2, 3, 4].map((last) => `+1201555020${last}`);
  for (const number of numbers) {
    await see({ phone: number });
    await move(number, number.replace('+1201', '+1202'));
  }
  const young = numbers.at(-1) ?? '';
  await rows(
    `UPDATE contacts.former_alias SET until = now() - interval '11 days' WHERE organization_id = $1 AND alias <> '${young}'
     RETURNING 1`,
  );
  const prune = async (): Promise<number | undefined> =>
    (await running.superuser.query(pruneFormerAliases, [2, 10]))[0]?.count;
  expect([await prune(), await prune(), await prune()]).toEqual([2, 1, 0]);
  expect(await former()).toEqual([{ alias: young }]);
});
