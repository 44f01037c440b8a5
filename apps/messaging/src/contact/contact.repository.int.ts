import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { contactOf, MessagingStore, type Sender } from '../../test/messaging-store.js';
import { ContactRepository, projectContacts } from './contact.repository.js';

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
