import type { AuditedRequest } from '../grammar/audited-act.js';
import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { Page } from '../grammar/page.js';
import type { ContactView, OptOutSource, OptOutView } from './http.js';

/** The `channelId` of an opt-out of all channels. */
export const ALL_CHANNELS = '*';

/** A contact as other services know it; a higher `version` is newer. */
export interface ContactFacts {
  readonly id: Cuid;
  /** E.164 as first seen; empty when only an id of the upstream is known. */
  readonly phone: string;
  /** Every E.164 form under which this subscriber may be written, `phone` included; none after the number was given up. */
  readonly phoneForms: readonly string[];
  readonly name: string | null;
  readonly messagingId: string;
  readonly version: number;
  /** All opt-outs of this version; `channelId` may be `ALL_CHANNELS`. Absent only from senders of an older release. */
  readonly optOuts?: readonly { readonly channelId: string; readonly source: OptOutSource }[];
  /** The contact of the same person that goes on, by whose opt-outs this one is judged; absent: it goes on itself. */
  readonly mergedInto?: Cuid;
}

/** What a contact said of messages on a channel: by a keyword or button, or in the upstream's own preferences. */
export interface SightedPreference {
  readonly channelId: string;
  /** `stop` opts out on that channel; `start` removes its KEYWORD and UPSTREAM opt-outs. */
  readonly value: 'stop' | 'start';
  readonly source: 'KEYWORD' | 'UPSTREAM';
}

/** What is known of somebody who may be a contact already. */
export interface ContactSighting {
  /**
   * Whom the sighting is of. None is made then, and nothing changes unless `phone` still leads to that contact, or to the one that goes
   * on for it. Contacts of an older release find the contact by `phone`, or make it.
   */
  readonly contactId?: Cuid | null;
  /** E.164; null for a sender of whom only `upstreamUserId` is known. */
  readonly phone: string | null;
  /** The profile name that the upstream reports; it fills an empty name, never replaces one. */
  readonly profileName: string | null;
  /** The upstream's id of the subscriber (`wa_id`), once it is known. */
  readonly messagingId: string | null;
  /** The upstream's own id of a person, which has nothing to do with a number. */
  readonly upstreamUserId?: string | null;
  /** ISO 8601: when the person wrote; a number that they gave up later is not theirs for it. Absent: of no message. */
  readonly seenAt?: string | null;
  /** The person had this number, E.164, until now and has `phone` from now on (`user_changed_number`). */
  readonly formerPhone?: string | null;
  readonly preference?: SightedPreference | null;
  /** Which message or event said so and when; needed by `formerPhone` and `preference`, which apply once each. */
  readonly statement?: {
    /** The upstream's id of the message, or ours of the event. */
    readonly id: string;
    /** ISO 8601; of two preferences for a channel the later one holds, of one moment the one that came last. */
    readonly at: string;
    /**
     * Which of two of one moment came last: the greater one, the id of the event with which it came. Without it, as of an older release, the
     * one that is applied last did.
     */
    readonly order?: Cuid;
  } | null;
  /**
   * A note of the upstream, which nothing was written with: a changed number, a setting, a refusal. It need not make a contact. Contacts of
   * an older release make one.
   */
  readonly isNote?: boolean;
  /** The asker's newest facts give the phone to no contact. The answer is newer than those, also after a restore of the database. */
  readonly hasNoOwner?: boolean;
}

/**
 * Finds or creates one contact per sighting (1 to 200), in the order asked; concurrent calls make one contact. `without` are the
 * places, from 0, of notes of which none is made, and for which `contacts` has nothing: of a person who has no contact, when the note changes
 * nothing or the person was erased lately. What it says of opt-outs is held for the number. `also` are other contacts of which is what was
 * stated, as they had the number then. An asker of an older release gets to know them by their events.
 *
 * @throws CONTACT_NOT_FOUND when a sighting names one that does not exist: nothing is changed then
 */
export const resolveContactsRpc = defineRpc<
  { readonly sightings: readonly ContactSighting[] },
  {
    readonly contacts: readonly ContactFacts[];
    readonly without?: readonly number[];
    readonly also?: readonly ContactFacts[];
  }
>('contacts', 'resolve-many', { deadlineMs: 3_000 });

/** The input of an upsert; a field left out keeps its value, null clears it. */
export interface UpsertContactRequest {
  /** As the caller wrote it. */
  readonly phone: string;
  readonly name?: string | null;
  readonly email?: string | null;
}

/** Creates the contact of a phone or changes it. @throws INVALID_PHONE */
export const upsertContactRpc = defineRpc<
  UpsertContactRequest,
  { readonly contact: ContactView; readonly isNew: boolean }
>('contacts', 'upsert-contact', { deadlineMs: 5_000 });

/** One contact of the organization. @throws CONTACT_NOT_FOUND */
export const getContactRpc = defineRpc<{ readonly id: Cuid }, ContactView>('contacts', 'get-contact', {
  deadlineMs: 5_000,
});

/** A page of contacts; null stands for no filter. */
export interface ListContactsRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  /** Part of name, phone or email; any case; literal. */
  readonly search: string | null;
  /** As the caller wrote it; other written forms of the same number find the contact too. */
  readonly phone: string | null;
  readonly isOptedOut: boolean | null;
}

/** Contacts of the organization, newest first. @throws INVALID_PHONE */
export const listContactsRpc = defineRpc<ListContactsRequest, Page<ContactView>>('contacts', 'list-contacts', {
  deadlineMs: 5_000,
});

/** An opt-out to be recorded; exactly one of `contactId` and `phone` is given. */
export interface CreateOptOutRequest {
  readonly contactId: Cuid | null;
  /** As the caller wrote it; an unknown one makes a contact. */
  readonly phone: string | null;
  /** Null: all channels. */
  readonly messagingChannelId: Cuid | null;
  readonly reason: string | null;
}

/**
 * Records an opt-out, or finds the existing one; answers when no send that begins later can pass.
 *
 * The deadline covers our commit and messaging's fence (`applySuppressionsRpc`).
 *
 * @throws CHANNEL_NOT_FOUND, INVALID_PHONE, CONTACT_NOT_FOUND; SERVICE_UNAVAILABLE when messaging does not confirm: the
 * opt-out stands then, and asking again confirms it
 */
export const createOptOutRpc = defineRpc<CreateOptOutRequest, { readonly optOut: OptOutView; readonly isNew: boolean }>(
  'contacts',
  'create-opt-out',
  { deadlineMs: 10_000 },
);

/** One opt-out of the organization. @throws OPT_OUT_NOT_FOUND */
export const getOptOutRpc = defineRpc<{ readonly id: Cuid }, OptOutView>('contacts', 'get-opt-out', {
  deadlineMs: 5_000,
});

/** A page of opt-outs; null stands for no filter. */
export interface ListOptOutsRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly contactId: Cuid | null;
  /** As the caller wrote it. */
  readonly phone: string | null;
  /** Opt-outs of this very channel; those of all channels are not among them. */
  readonly messagingChannelId: Cuid | null;
}

/** Opt-outs of the organization, newest first; none where a filter names what does not exist. @throws INVALID_PHONE */
export const listOptOutsRpc = defineRpc<ListOptOutsRequest, Page<OptOutView>>('contacts', 'list-opt-outs', {
  deadlineMs: 5_000,
});

/**
 * Removes an opt-out; answers once messaging has confirmed it.
 *
 * @throws OPT_OUT_NOT_FOUND; SERVICE_UNAVAILABLE when messaging does not confirm: it is removed then, messaging learns it by
 * the event, and asking again confirms it
 */
export const deleteOptOutRpc = defineRpc<{ readonly id: Cuid }, Record<string, never>>('contacts', 'delete-opt-out', {
  deadlineMs: 10_000,
});

/**
 * Erases a contact; answers when it is gone from the contacts service and no send that begins later is to it. The other
 * services follow by `contacts.contact.erased`.
 *
 * Idempotent by the act's id. The deadline covers our commit and messaging's fence (`forgetContactRpc`).
 *
 * @throws CONTACT_NOT_FOUND; SERVICE_UNAVAILABLE when messaging does not confirm: the contact is erased then, messaging learns
 * it by the event, and asking again confirms it
 */
export const eraseContactRpc = defineRpc<AuditedRequest & { readonly id: Cuid }, Record<string, never>>(
  'contacts',
  'erase-contact',
  { deadlineMs: 10_000 },
);

/** By what rows of an erased contact are found that do not name its id. */
export interface ErasedNumbers {
  /** Every E.164 form of its numbers. */
  readonly phoneForms: readonly string[];
  /** The upstream's own ids of the person. */
  readonly upstreamUserIds: readonly string[];
  /** What the contact had and gave up before it was erased. Absent only from senders of an older release. */
  readonly former?: readonly FormerNumbers[];
}

/** What a contact gave up at one moment: its number changed, or another contact turned out to be the same person. */
export interface FormerNumbers {
  readonly phoneForms: readonly string[];
  readonly upstreamUserIds: readonly string[];
  /** ISO 8601, by our clock; what was stored since then may be somebody else's. */
  readonly until: string;
}

/** What to look for; empty lists once every service has confirmed, because the numbers are gone then. */
export const getErasureRpc = defineRpc<{ readonly contactId: Cuid }, ErasedNumbers>('contacts', 'get-erasure', {
  deadlineMs: 5_000,
});

/** A service has overwritten all that it kept of a contact. May be repeated. */
export const confirmErasureRpc = defineRpc<
  { readonly contactId: Cuid; readonly service: string },
  Record<string, never>
>('contacts', 'confirm-erasure', { deadlineMs: 5_000 });
