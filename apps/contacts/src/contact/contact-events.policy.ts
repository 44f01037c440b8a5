import { contactChanged, optOutCreated, optOutDeleted } from '@switchboard/contracts/contacts/events';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { ALL_CHANNELS } from '@switchboard/contracts/contacts/rpc';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { NewEvent } from '@switchboard/outbox';
import type { Contact, OptOut } from './contact.entity.js';
import type { ContactStep } from './contact-ledger.js';
import { coversAll, factsOf } from './contact.policy.js';

/** True when the events of the step depend on which channels the organization has. */
export function needsChannels({ before, after }: ContactStep): boolean {
  return coversAll(after.optOuts) && !coversAll(before?.optOuts ?? []);
}

/**
 * The events of a step: all of the contact, one `opt-out.created` for each channel that it newly covers, one
 * `opt-out.deleted` for each opt-out that it removes.
 *
 * @param channelIds all of the organization, where `needsChannels`
 */
export function eventsOf(step: ContactStep, channelIds: readonly string[], occurredAt: Date): NewEvent<unknown>[] {
  const { before, after, observed, traceparent, removalId, changeId } = step;
  const { organizationId, id: aggregateId } = after;
  const event = { organizationId, aggregateId, sequence: null, occurredAt, traceparent };
  const known = new Set(before?.optOuts.map(({ id }) => id));
  const left = new Set(after.optOuts.map(({ id }) => id));
  const made = after.optOuts.filter(({ id }) => !known.has(id));
  // Those of a merged contact have moved to the one that goes on.
  const isMerged = after.mergedInto !== null;
  const removed = isMerged ? [] : (before?.optOuts ?? []).filter(({ id }) => !left.has(id));
  const taken = observed.length > 0 ? { observed } : {};
  const ofCall = changeId === null ? {} : { id: changeId };
  return [
    {
      ...event,
      ...ofCall,
      event: contactChanged,
      sequence: after.version,
      data: { contact: factsOf(after), ...taken },
    },
    ...newlyCovered(before?.optOuts ?? [], made, channelIds).map(({ channelId, optOut }) => {
      const data = { optOut: optOutView(optOut, after), messagingChannelId: channelId };
      return { ...event, event: optOutCreated, data };
    }),
    ...removed.map((optOut) => {
      const id = removalId === null ? {} : { id: removalId };
      return { ...event, ...id, event: optOutDeleted, data: { optOut: optOutView(optOut, after) } };
    }),
  ];
}

/** The channels that opt-outs cover and the former ones did not, each with the opt-out that covers it now. */
function newlyCovered(
  former: readonly OptOut[],
  made: readonly OptOut[],
  channelIds: readonly string[],
): { channelId: string; optOut: OptOut }[] {
  if (coversAll(former)) return [];
  const covered = new Set(former.map(({ channelId }) => channelId));
  return made.flatMap((optOut) => {
    const channels = optOut.channelId === ALL_CHANNELS ? channelIds : [optOut.channelId];
    return channels.flatMap((channelId) => {
      if (covered.has(channelId)) return [];
      covered.add(channelId);
      return [{ channelId, optOut }];
    });
  });
}

/** An opt-out as the API and the events show it. */
export function optOutView(optOut: OptOut, contact: Pick<Contact, 'id' | 'phone'>): OptOutView {
  const { id, channelId, source, reason } = optOut;
  return {
    id,
    contactId: contact.id,
    phone: contact.phone,
    messagingChannelId: channelId === ALL_CHANNELS ? null : channelId,
    source,
    reason,
    createdAt: cuidTime(id).toISOString(),
  };
}
