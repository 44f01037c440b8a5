import { defineRpc } from '../grammar/define-rpc.js';

/** A contact as other services know it; a higher `version` is newer. */
export interface ContactFacts {
  readonly id: string;
  /** E.164 as first seen. */
  readonly phone: string;
  /** Every E.164 form under which this subscriber may be written, `phone` included. */
  readonly phoneForms: readonly string[];
  readonly name: string | null;
  readonly messagingId: string;
  readonly version: number;
}

/** What is known of somebody who may be a contact already. */
export interface ContactSighting {
  /** E.164. */
  readonly phone: string;
  /** The profile name that the upstream tells; it fills an empty name, never replaces one. */
  readonly profileName: string | null;
  /** The upstream's id of the subscriber (`wa_id`), once it is known. */
  readonly messagingId: string | null;
}

/** Finds or creates one contact per sighting (1 to 200), in the order asked; concurrent calls make one contact. */
export const resolveContactsRpc = defineRpc<
  { readonly sightings: readonly ContactSighting[] },
  { readonly contacts: readonly ContactFacts[] }
>('contacts', 'resolve-many', { deadlineMs: 3_000 });
