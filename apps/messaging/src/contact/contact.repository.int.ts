import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { describeCoalesceLaw } from '@switchboard/testing/describe-coalesce-law';
import fc from 'fast-check';
import { contactOf, MessagingStore, type Sender } from '../../test/messaging-store.js';
import { ContactRepository, projectContacts, type ProjectedContact } from './contact.repository.js';
import { coalesceLearnt } from './learn-contact.batch.js';

const servers = testServers();
const [FORMER, CURRENT] = ['+14155559001', '+14155559002'];

describe('a number that a contact gave up', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('is asked for again, opt-outs of its former contact notwithstanding', async () => {
    const { sender, before, moved } = await moving();
    await project(sender, { ...before, optOuts: [{ channelId: '*', source: 'API' }] });
    expect(await sentTo(sender, FORMER)).toBe('opted-out');
    await project(sender, { ...moved, optOuts: [{ channelId: '*', source: 'API' }] });
    expect(await sentTo(sender, FORMER)).toBe('contact-unknown');
    expect(await sentTo(sender, CURRENT)).toBe('opted-out');
  });

  it('belongs to its next contact once those facts are projected, in any order and however often all facts are', async () => {
    for (const order of ['before moved next', 'moved before next', 'next before moved', 'before next moved']) {
      const { sender, ...facts } = await moving();
      const steps = order.split(' ') as ('before' | 'moved' | 'next')[];
      for (const step of steps) await project(sender, facts[step]);
      // Never the former one; a send asks for what is not known, and the answer holds.
      expect([order, [null, facts.next.id]]).toEqual([order, expect.arrayContaining([await ownerOf(sender, FORMER)])]);
      for (const step of ['next', ...steps, 'next'] as const) await project(sender, facts[step]);
      expect([order, await ownerOf(sender, FORMER)]).toEqual([order, facts.next.id]);
      expect([order, await ownerOf(sender, CURRENT)]).toEqual([order, facts.moved.id]);
    }
  });

  it('is not taken from its next contact by events, however late they come', async () => {
    for (const order of ['before moved', 'moved before', 'before next moved', 'next before moved before next']) {
      const { sender, ...facts } = await moving();
      const next = { ...facts.next, version: 2, optOuts: [{ channelId: '*', source: 'API' as const }] };
      await project(sender, next);
      for (const step of order.split(' ') as ('before' | 'moved' | 'next')[]) {
        await projectEvent(sender, facts[step]);
        expect([order, step, await sentTo(sender, FORMER)]).toEqual([order, step, 'opted-out']);
      }
    }
    // An event makes a number known that no contact has; a number that its contact gave up by an event is free.
    const { sender, before, moved, next } = await moving();
    await projectEvent(sender, before);
    expect(await ownerOf(sender, FORMER)).toBe(before.id);
    await projectEvent(sender, moved);
    await projectEvent(sender, next);
    expect(await ownerOf(sender, FORMER)).toBe(next.id);
  });

  it('is not taken from its next contact by an event that waits for the answer which gives it to that one', async () => {
    const { sender, before, next } = await moving();
    await project(sender, before);
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answered = store.database.transaction(async (tx) => {
      await projectContacts(tx, [{ organizationId: sender.organizationId, contact: next }]);
      reached.resolve();
      await gate.promise;
    });
    await reached.promise;
    const event = projectEvent(sender, before);
    await eventually(async () => (await lockWaiters(store.superuser)) === 1);
    gate.resolve();
    await Promise.all([answered, event]);
    expect(await ownerOf(sender, FORMER)).toBe(next.id);
  });

  it('stays a contact’s through changes that do not concern it', async () => {
    const { sender, before } = await moving();
    for (const version of [1, 2, 3]) {
      await project(sender, { ...before, version, name: `name ${version}` });
      expect(await ownerOf(sender, FORMER)).toBe(before.id);
    }
  });

  interface Moving {
    readonly sender: Sender;
    readonly before: ContactFacts;
    readonly moved: ContactFacts;
    readonly next: ContactFacts;
  }

  /** Somebody whose number changes, and the next one to have the former number. */
  async function moving(): Promise<Moving> {
    const sender = await store.sender();
    const { contact: before } = contactOf(sender.organizationId, newCuid(), FORMER);
    const moved = { ...before, version: 2, phone: CURRENT, phoneForms: [CURRENT] };
    const { contact: next } = contactOf(sender.organizationId, newCuid(), FORMER);
    return { sender, before, moved, next };
  }

  async function project({ organizationId }: Sender, contact: ContactFacts): Promise<void> {
    await new ContactRepository(store.database).project([{ organizationId, contact }]);
  }

  async function projectEvent({ organizationId }: Sender, contact: ContactFacts): Promise<void> {
    await store.database.transaction((tx) => projectContacts(tx, [{ organizationId, contact }], 'event'));
  }

  async function sentTo(sender: Sender, phone: string): Promise<string | undefined> {
    return (await store.accept([{ ...store.request(sender), phone }]))[0]?.verdict;
  }

  /** The contact that a send to the number is stored with; null: it is asked for. */
  async function ownerOf(sender: Sender, phone: string): Promise<string | null> {
    const [result] = await store.accept([{ ...store.request(sender), phone }]);
    return result?.verdict === 'accepted' ? result.attempt.contactId : null;
  }
});

const prepared = (() => {
  let made: Promise<MessagingStore> | undefined;
  return () => (made ??= MessagingStore.open(servers));
})();
/**
 * Few contacts in few states, a version being one state. Numbers that move between contacts are tested above: a state of two
 * owners at once, which the contacts service never answers, is not folded as its steps would be.
 */
const learnt = (organizationId: string, n: number, version: number): ProjectedContact => {
  const phoneForms = [1, 2].filter((form) => version < 3 || form < n).map((form) => `+141555580${n}${form}`);
  const facts = { id: `ccontact${n}`, phone: phoneForms[0] ?? '', phoneForms, name: null, messagingId: '' };
  const optOuts = version % 2 === 0 ? [{ channelId: '*', source: 'API' as const }] : [];
  return { organizationId, contact: { ...facts, version, optOuts } };
};

describeCoalesceLaw<ProjectedContact>({
  name: 'learn-contact',
  items: fc
    .tuple(fc.constantFrom('calice', 'cbob'), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
    .map(([organizationId, n, version]) => learnt(organizationId, n, version)),
  tenant: ({ organizationId }) => organizationId,
  poison: { organizationId: 'calice', contact: { ...learnt('calice', 4, 1).contact, name: 'a\u0000b' } },
  writing: [learnt('calice', 1, 1), learnt('cbob', 2, 1)],
  table: 'messaging.contact',
  superuser: async () => (await prepared()).superuser,
  open: async () => {
    const { database, superuser } = await prepared();
    const sql = superuser.dataSource;
    const batchSizes: number[] = [];
    const learn = coalesceLearnt(database, (tx, contacts) => {
      batchSizes.push(contacts.length);
      return projectContacts(tx, contacts);
    });
    return {
      call: (item) => learn(item),
      batchSizes,
      clear: () => sql.query('TRUNCATE messaging.contact, messaging.contact_phone, messaging.suppression'),
      // A number counts while its contact is of the version that named it; what it was before leaves a row or none.
      stored: (tenant) =>
        sql.query(
          `SELECT c.id, c.version, c.phone, c.name, ARRAY(SELECT f.phone FROM messaging.contact_phone f
             WHERE f.organization_id = c.organization_id AND f.contact_id = c.id AND f.version = c.version ORDER BY 1) AS phones,
             (SELECT count(*)::int FROM messaging.suppression s
               WHERE s.organization_id = c.organization_id AND s.contact_id = c.id) AS suppressions
           FROM messaging.contact c WHERE c.organization_id = $1 ORDER BY c.id`,
          [tenant],
        ),
      close: () => learn.drain(),
    };
  },
});

describe('a flood of numbers that messaging has never seen', () => {
  it('takes a transaction for 200 of them', async () => {
    const { database } = await prepared();
    const sizes: number[] = [];
    const learn = coalesceLearnt(database, (tx, contacts) => {
      sizes.push(contacts.length);
      return projectContacts(tx, contacts);
    });
    const facts = { name: null, messagingId: '', version: 1, optOuts: [] };
    const flood = Array.from({ length: 300 }, (_, n): ProjectedContact => {
      const phone = `+1415556${String(n).padStart(4, '0')}`;
      return { organizationId: 'cflood', contact: { ...facts, id: newCuid(), phone, phoneForms: [phone] } };
    });
    await Promise.all(flood.map((contact) => learn(contact)));
    await learn.drain();
    expect(sizes).toEqual([200, 100]);
  });
});
