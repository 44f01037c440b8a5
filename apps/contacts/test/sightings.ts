import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import type { Contact, OptOut } from '../src/contact/contact.entity.js';
import { ContactLedger } from '../src/contact/contact-ledger.js';
import { resolveSighting } from '../src/resolve-contacts/resolve-sighting.policy.js';

/** Numbers of two subscribers. */
export const OLD = '+12015550101';
export const NEW = '+12015550102';
/** What a person said in a second. */
export const said = (
  value: 'stop' | 'start',
  second: number,
  by: Partial<ContactSighting>,
): Partial<ContactSighting> => ({
  ...by,
  preference: { channelId: 'cchannel1', value, source: 'KEYWORD' },
  statement: { id: `wamid.said-${second}`, at: new Date(second * 1_000).toISOString() },
});

/** An organization's contacts, and what is seen of them. */
// Its parts say their types; a return type would say them again.
export function world(...known: readonly Contact[]) {
  let ids = 0;
  const ledger = new ContactLedger('corg', known, new Date('2026-01-02T00:00:00Z'), () => `cnew${++ids}`);
  const resolve = (sighting: Partial<ContactSighting>): Contact | null =>
    resolveSighting(ledger, { phone: null, profileName: null, messagingId: null, ...sighting }).contact;
  const see = (sighting: Partial<ContactSighting>): Contact => {
    const contact = resolve(sighting);
    if (!contact) throw new Error('there is no contact');
    return contact;
  };
  return { ledger, resolve, see, events: (): number => ledger.steps.length };
}

/** A contact with one number. */
export function contactOf(id: string, phone: string, more: Partial<Contact> = {}): Contact {
  return {
    organizationId: 'corg',
    id,
    phone,
    aliases: phone === '' ? [] : [phone],
    messagingId: phone.slice(1),
    name: null,
    email: null,
    optOuts: [],
    appliedStatements: null,
    mergedInto: null,
    version: 1,
    versionFloor: 0,
    updatedAt: new Date(0),
    ...more,
  };
}

/** An opt-out of a contact. */
export const optOut = (id: string, channelId: string, source: OptOut['source'] = 'API'): OptOut => ({
  id,
  channelId,
  source,
  reason: null,
});
