import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import type { optOutObserved } from '@switchboard/contracts/messaging/events';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Consent } from '../contact/contact.entity.js';
import type { ContactLedger, ContactPatch } from '../contact/contact-ledger.js';
import type { ErasedPerson } from '../erased-number/erased-number.repository.js';
import { preferencePatch } from '../opt-out/preference.policy.js';

/** An opt-out that the upstream reported in answer to a send. */
export interface ObservedOptOut extends EventDataOf<typeof optOutObserved> {
  readonly organizationId: string;
  readonly eventId: string;
  /** ISO 8601. */
  readonly at: string;
}

const NOT_ERASED: ErasedPerson = { mergedInto: null, aliases: [] };

/**
 * Records the report and emits that it is taken into account, so that messaging can drop its
 * own record. A repetition changes nothing, and neither does it when the person has said otherwise since.
 *
 * @param erased of the contact, where it was erased since it was sent to: the opt-out is of the one that goes on, else held for the aliases,
 *   or of whoever has one
 * @returns false for a contact that does not exist, and of which neither is known
 */
export function recordObserved(
  observed: ObservedOptOut,
  traceparent: string | null,
  erased: ErasedPerson = NOT_ERASED,
): ContactChange<boolean> {
  const { organizationId, contactId, eventId } = observed;
  return {
    organizationId,
    aliases: erased.aliases,
    contactIds: [contactId, ...(erased.mergedInto === null ? [] : [erased.mergedInto])],
    traceparent,
    decide: (ledger) => {
      const named = ledger.find(contactId);
      const contact = ledger.findGoingOn(contactId);
      if (!named || !contact) return recordOfErased(ledger, erased, observed);
      const patch = patchOf(ledger, contact, observed);
      if (patch) ledger.change(contact, patch, { observed: [eventId], isConfirmed: true });
      else ledger.acknowledge(contact, [eventId]);
      // Messaging keeps its own record of the contact that it sent to.
      if (named !== contact) ledger.acknowledge(named, [eventId]);
      return true;
    },
  };
}

/** As a note of the upstream that names the numbers: a refusal makes no contact. */
function recordOfErased(
  ledger: ContactLedger,
  { mergedInto, aliases }: ErasedPerson,
  observed: ObservedOptOut,
): boolean {
  const goingOn = mergedInto === null ? undefined : ledger.findGoingOn(mergedInto);
  const owners = new Set([
    ...(goingOn ? [goingOn] : []),
    ...aliases.flatMap((alias) => ledger.findByAlias([alias]) ?? []),
  ]);
  for (const contact of owners) {
    const patch = patchOf(ledger, contact, observed);
    if (patch) ledger.change(contact, patch, { isConfirmed: true });
  }
  const free = ledger.free(aliases);
  const held = ledger.held.consentFor(free);
  const patch = free.length > 0 ? patchOf(ledger, held, observed) : null;
  if (patch) ledger.held.hold(free, { ...held, ...patch });
  return owners.size > 0 || aliases.length > 0;
}

function patchOf(
  ledger: ContactLedger,
  of: Consent,
  { messagingChannelId: channelId, source, eventId, at }: ObservedOptOut,
): ContactPatch | null {
  return preferencePatch(of, { channelId, value: 'stop', source }, { id: eventId, at }, ledger.newId);
}
