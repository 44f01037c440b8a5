import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import type { optOutObserved } from '@switchboard/contracts/messaging/events';
import type { ContactChange } from '../contact/change-contacts.js';
import { preferencePatch } from '../opt-out/preference.policy.js';

/** An opt-out that the upstream reported in answer to a send. */
export interface ObservedOptOut extends EventDataOf<typeof optOutObserved> {
  readonly organizationId: string;
  readonly eventId: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Records the report and emits that it is taken into account, so that messaging can drop its
 * own record. A repetition changes nothing, and neither does it when the person has said otherwise since.
 *
 * @returns false for a contact that does not exist
 */
export function recordObserved(observed: ObservedOptOut, traceparent: string | null): ContactChange<boolean> {
  const { organizationId, contactId, messagingChannelId, source, eventId, at } = observed;
  return {
    organizationId,
    aliases: [],
    contactIds: [contactId],
    traceparent,
    decide: (ledger) => {
      const named = ledger.find(contactId);
      const contact = ledger.findGoingOn(contactId);
      if (!named || !contact) return false;
      const preference = { channelId: messagingChannelId, value: 'stop', source } as const;
      const patch = preferencePatch(contact, preference, { id: eventId, at }, ledger.newId);
      if (patch) ledger.change(contact, patch, { observed: [eventId], isConfirmed: true });
      else ledger.acknowledge(contact, [eventId]);
      // Messaging keeps its own record of the contact that it sent to.
      if (named !== contact) ledger.acknowledge(named, [eventId]);
      return true;
    },
  };
}
