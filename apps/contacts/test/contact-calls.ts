import { ALL_CHANNELS, type ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { parsePhone, type Phone } from '@switchboard/phone';
import fc from 'fast-check';
import type { ContactChange } from '../src/contact/change-contacts.js';
import type { ContactLedger } from '../src/contact/contact-ledger.js';
import { createOptOut } from '../src/create-opt-out/create-opt-out.js';
import { deleteOptOut } from '../src/delete-opt-out/delete-opt-out.js';
import { recordObserved } from '../src/record-observed/record-observed.js';
import { resolveContacts } from '../src/resolve-contacts/resolve-contacts.js';
import { upsertContact } from '../src/upsert-contact/upsert-contact.js';

/** Written forms: two subscribers with two forms each and one with a single form. */
export const FORMS = ['+525512345678', '+5215512345678', '+5511987654321', '+551187654321', '+12015550123'];
/** Channels of both organizations. */
export const CHANNELS = ['cchannel1', 'cchannel2'];

/** One call of any kind, as plain data. */
export type Call = { readonly organizationId: string } & (
  | { readonly kind: 'resolve'; readonly sightings: readonly ContactSighting[] }
  | { readonly kind: 'upsert'; readonly phone: string; readonly name?: string | null; readonly email?: string | null }
  | { readonly kind: 'opt-out'; readonly phone: string; readonly channelId: string }
  | { readonly kind: 'opt-out-by-id' | 'remove' | 'observed'; readonly phone: string }
);

const organizationId = fc.constantFrom('calice', 'cbob');
const form = fc.constantFrom(...FORMS);
const channelId = fc.constantFrom(...CHANNELS);
const sightings = fc.record<ContactSighting>({
  phone: fc.oneof({ weight: 5, arbitrary: form }, { weight: 1, arbitrary: fc.constant(null) }),
  profileName: fc.constantFrom(null, 'Ana', 'Bo'),
  messagingId: fc.constantFrom(null, '5215512345678', '551187654321', '12015550199'),
  upstreamUserId: fc.constantFrom('U1', 'U2'),
  formerPhone: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: form }),
  preference: fc.option(
    fc.record({
      channelId,
      value: fc.constantFrom('stop' as const, 'start' as const),
      source: fc.constantFrom('KEYWORD' as const, 'UPSTREAM' as const),
    }),
  ),
  isNote: fc.boolean(),
  statement: fc.record({
    id: fc.constantFrom('wamid.1', 'wamid.2', 'wamid.3'),
    // After the contacts are made, so that numbers move.
    at: fc.constantFrom('2126-01-01T00:00:00.000Z', '2126-01-01T00:00:01.000Z'),
  }),
});
/** Calls of two organizations about few subscribers, so that they meet. */
export const calls: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      organizationId,
      sightings: fc.array(sightings, { minLength: 1, maxLength: 3 }),
    }),
  },
  fc.record(
    {
      kind: fc.constant('upsert' as const),
      organizationId,
      phone: form,
      name: fc.constantFrom(null, 'Cy'),
      email: fc.constantFrom(null, 'cy@example.com'),
    },
    { requiredKeys: ['kind', 'organizationId', 'phone'] },
  ) as fc.Arbitrary<Call>,
  fc.record({
    kind: fc.constant('opt-out' as const),
    organizationId,
    phone: form,
    channelId: fc.constantFrom(...CHANNELS, ALL_CHANNELS),
  }),
  fc.record({
    kind: fc.constantFrom('opt-out-by-id' as const, 'remove' as const, 'observed' as const),
    organizationId,
    phone: form,
  }),
);

/** The change that a call comes to. */
export function changeOf(call: Call): ContactChange<unknown> {
  const own = call.organizationId;
  switch (call.kind) {
    case 'resolve':
      return resolveContacts(own, call.sightings, null);
    case 'upsert':
      return upsertContact(own, { ...call, phone: phoneOf(call.phone) }, null);
    case 'opt-out':
      return createOptOut(own, { ...input(call.channelId), of: { phone: phoneOf(call.phone) } }, null);
    default:
      return changeById(own, call.kind, phoneOf(call.phone));
  }
}

/** Calls name contacts and opt-outs by ids, which differ from run to run: here they are those of a phone. */
function changeById(own: string, kind: 'opt-out-by-id' | 'remove' | 'observed', phone: Phone): ContactChange<unknown> {
  const decide = (ledger: ContactLedger): unknown => {
    const { id: contactId = 'c0nobody', optOuts = [] } = ledger.findByAlias(phone.aliases) ?? {};
    const change = (): ContactChange<unknown> => {
      if (kind === 'opt-out-by-id') return createOptOut(own, { ...input('cchannel1'), of: { contactId } }, null);
      const optOutId = optOuts[0]?.id ?? 'c0none';
      if (kind === 'remove') return deleteOptOut({ organizationId: own, optOutId, contactId }, null);
      const event = { contactId, messagingChannelId: 'cchannel1', source: 'UPSTREAM', eventId: 'ce1' } as const;
      return recordObserved({ ...event, organizationId: own, at: '2126-01-01T00:00:00.500Z' }, null);
    };
    return change().decide(ledger);
  };
  return { organizationId: own, aliases: phone.aliases, contactIds: [], traceparent: null, decide };
}

/** A contact or an opt-out that is not there, as an answer. */
export function notFound(error: unknown): unknown {
  if (error instanceof AppError && error.status === 404) return error.code;
  throw error;
}

/** An opt-out on a channel, but for whose. */
export const input = (of: string) => ({ channelId: of, source: 'API', reason: null }) as const;

/** A phone that surely is one. */
export function phoneOf(phone: string): Phone {
  const read = parsePhone(phone);
  if (!read) throw new Error(`${phone} is no phone`);
  return read;
}
