import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { contactOf, messagingForms, phoneForms, sighted } from '../contact/contact.policy.js';
import type { ContactChange, OwnedContact, PhoneClaim } from '../contact/contact.repository.js';

/** One call's sightings: an item of a batch. */
export interface ResolveItem {
  readonly organizationId: string;
  readonly sightings: readonly ContactSighting[];
  /** The trace of the call, for the events that it causes. */
  readonly traceparent: string | null;
}

/** A fact that is to be told, once for each sighting that made or changed a contact. */
export interface ToldContact extends OwnedContact {
  readonly traceparent: string | null;
}

/** What a batch of sightings comes to. */
export interface FoldedSightings {
  /** One list per item, one contact per sighting, in order. */
  readonly answers: readonly (readonly ContactFacts[])[];
  readonly created: readonly OwnedContact[];
  readonly changed: readonly ContactChange[];
  readonly claims: readonly PhoneClaim[];
  readonly told: readonly ToldContact[];
}

/** A contact while sightings are folded into it; `readVersion` is 0 for a new one. */
interface Holder {
  readonly organizationId: string;
  readonly readVersion: number;
  contact: ContactFacts;
}

/** Every written form that the items speak of, each once: what must be read before they are folded. */
export function formsToRead(items: readonly ResolveItem[]): { organizationId: string; phone: string }[] {
  const asked = new Map<string, { organizationId: string; phone: string }>();
  for (const { organizationId, sightings } of items) {
    for (const { phone, messagingId } of sightings) {
      for (const form of [...phoneForms(phone ?? ''), ...messagingForms(messagingId)]) {
        asked.set(keyOf(organizationId, form), { organizationId, phone: form });
      }
    }
  }
  return [...asked.values()];
}

/**
 * Folds sightings, one after the other, into the contacts that are known: what the calls would come to if they were made
 * alone, in that order.
 *
 * A sighting belongs to the contact that has its phone in any written form, else to the one that has the upstream's id
 * as a phone, else to a new one.
 *
 * @param known all contacts behind `formsToRead(items)`
 */
export function foldSightings(
  items: readonly ResolveItem[],
  known: readonly OwnedContact[],
  newId: () => string,
): FoldedSightings {
  const holders = known.map(({ organizationId, contact }): Holder => {
    return { organizationId, contact, readVersion: contact.version };
  });
  const byForm = new Map<string, Holder>();
  for (const holder of holders) {
    for (const form of holder.contact.phoneForms) byForm.set(keyOf(holder.organizationId, form), holder);
  }
  const claims: PhoneClaim[] = [];
  const told: ToldContact[] = [];

  const foldOne = ({ organizationId, traceparent }: ResolveItem, sighting: ContactSighting): ContactFacts => {
    const forms = [...phoneForms(sighting.phone ?? ''), ...messagingForms(sighting.messagingId)];
    const found = forms.map((form) => byForm.get(keyOf(organizationId, form))).find((holder) => holder !== undefined);
    const holder = found ?? { organizationId, readVersion: 0, contact: contactOf(newId(), sighting) };
    if (!found) holders.push(holder);
    const free = [...new Set(forms)].filter((form) => !byForm.has(keyOf(organizationId, form)));
    const next = found ? sighted(found.contact, sighting, free) : holder.contact;
    if (found && next === found.contact) return next;
    holder.contact = next;
    for (const phone of free) {
      byForm.set(keyOf(organizationId, phone), holder);
      claims.push({ organizationId, phone, contactId: next.id });
    }
    told.push({ organizationId, contact: next, traceparent });
    return next;
  };

  const answers = items.map((item) => item.sightings.map((sighting) => foldOne(item, sighting)));
  return {
    answers,
    created: holders.filter(({ readVersion }) => readVersion === 0),
    changed: holders.filter(({ readVersion, contact }) => readVersion > 0 && contact.version > readVersion),
    claims,
    told,
  };
}

/** Phones hold no blank, so the two parts cannot run into each other. */
function keyOf(organizationId: string, phone: string): string {
  return `${organizationId} ${phone}`;
}
