import type { ActFacts } from '../grammar/audited-act.js';
import type { Cuid } from '../grammar/cuid.js';
import { defineEvent } from '../grammar/define-event.js';
import type { OptOutView } from './http.js';
import type { ContactFacts } from './rpc.js';

/**
 * A contact came into being or changed; carries all of it, so that projections need no order but `version`. After PostgreSQL was restored
 * or restarted `sequence` may skip numbers.
 *
 * @aggregate contact, counted
 */
export const contactChanged = defineEvent<{
  readonly contact: ContactFacts;
  /** Ids of `messaging.opt-out.observed` events that these facts, or newer ones, take into account. */
  readonly observed?: readonly Cuid[];
}>('contacts', 'contact.changed', 1);

/**
 * A channel became covered by an opt-out: emitted once per channel, also for an opt-out of all channels.
 *
 * @aggregate contact
 */
export const optOutCreated = defineEvent<{
  readonly optOut: OptOutView;
  /** The channel that this event is about; that of the opt-out may be null. */
  readonly messagingChannelId: Cuid;
}>('contacts', 'opt-out.created', 1);

/** An opt-out was removed; another one of the same contact may still cover its channel. @aggregate contact */
export const optOutDeleted = defineEvent<{ readonly optOut: OptOutView }>('contacts', 'opt-out.deleted', 1);

/**
 * A contact was erased: what is kept of the person is overwritten wherever it is. Carries ids alone; the numbers to look for
 * are asked for (`getErasureRpc`), because an event is kept for days.
 *
 * @aggregate contact, counted
 */
export const contactErased = defineEvent<{ readonly contactId: Cuid }>('contacts', 'contact.erased', 1);

/**
 * Somebody acted on a contact; committed with what the act did, so that the audit log gets it whatever fails behind it. Names the
 * contact by its id alone: the log outlives the person's data.
 *
 * @aggregate contact
 */
export const contactActed = defineEvent<ActFacts<'contact.erased'>>('contacts', 'contact.acted', 1);
