import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { contactOf, MessagingStore, type Sender } from '../../test/messaging-store.js';
import { silentRelay } from '../../test/silent-relay.js';
import { ContactRepository } from '../contact/contact.repository.js';
import { ForgetContact } from './forget-contact.js';

const servers = testServers();

describe('the fence of erasures', () => {
  let store: MessagingStore;
  let fence: ForgetContact;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    fence = new ForgetContact(store.database, silentRelay);
  });

  it('has the next send ask for a contact, and what is learnt of the erased one late changes nothing', async () => {
    const sender = await store.sender();
    const erased = contactIn(sender);
    const facts = contactOf(sender.organizationId, erased.id, erased.phone);
    const version = facts.contact.version + 1;
    await fence.execute(sender.organizationId, { contactId: erased.id, version });
    expect(await verdictOf(sender)).toBe('contact-unknown');
    await new ContactRepository(store.database).project([facts]);
    await fence.execute(sender.organizationId, { contactId: erased.id, version });
    expect(await verdictOf(sender)).toBe('contact-unknown');
    const next = contactOf(sender.organizationId, newCuid(), erased.phone);
    await new ContactRepository(store.database).project([next]);
    const [sent] = await store.accept([store.request(sender)]);
    expect(sent).toMatchObject({ verdict: 'accepted', attempt: { contactId: next.contact.id } });
  });

  it('holds for a contact that messaging has never seen', async () => {
    const sender = await store.sender();
    const unseen = { id: newCuid(), phone: '+14155559995' };
    await fence.execute(sender.organizationId, { contactId: unseen.id, version: 2 });
    await new ContactRepository(store.database).project([contactOf(sender.organizationId, unseen.id, unseen.phone)]);
    expect(await verdictOf({ ...sender, contacts: [unseen] })).toBe('contact-unknown');
  });

  it('stores nothing that is personal', async () => {
    const sender = await store.sender();
    const { id } = contactIn(sender);
    await fence.execute(sender.organizationId, { contactId: id, version: 9 });
    const sql = 'SELECT phone, messaging_id, name FROM messaging.contact WHERE id = $1';
    expect(await store.superuser.dataSource.query(sql, [id])).toEqual([{ phone: '', messaging_id: '', name: null }]);
  });

  async function verdictOf(sender: Sender): Promise<string | undefined> {
    return (await store.accept([store.request(sender)]))[0]?.verdict;
  }

  function contactIn({ contacts: [first] }: Sender): { readonly id: string; readonly phone: string } {
    if (!first) throw new Error('the sender has no contact');
    return first;
  }
});
