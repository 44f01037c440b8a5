import type { ContactSighting, SightedPreference } from '@switchboard/contracts/contacts/rpc';
import type {
  UpstreamMessageItem,
  UpstreamPreferenceItem,
  UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import { phoneFromDigits } from '@switchboard/phone';
import { fieldOf } from './inbound-content.policy.js';

/** Contacts keep 256 characters of a name; a request of many endless ones would be too large for the broker. */
const NAME_UNITS_MAX = 600;
/** As contacts take them. */
const UPSTREAM_ID = /^[!-~]{1,128}$/;
/** The upstream's error for a person who stopped marketing messages. Source: provider's "Error codes". */
const STOPPED_BY_USER = 131_050;
/** Both words are in the provider's documentation. */
const NUMBER_CHANGES: ReadonlySet<string> = new Set(['user_changed_number', 'customer_changed_number']);

/** When something was said, by the upstream, and the event that brought it. */
export interface Source {
  readonly at: Date;
  readonly eventId: string;
}

/** Who wrote a message; null when it does not say. A sender that is no number is the upstream's own id of a person. */
export function senderOf({ message, profileName, userId }: UpstreamMessageItem): ContactSighting | null {
  return personOf(message.from, userId, profileName);
}

/** Who stated a preference in the upstream's settings; null when it does not say. */
export function personOfPreference(item: UpstreamPreferenceItem, profileName: string | null): ContactSighting | null {
  const person = personOf(item.wa_id ?? '', item.user_id, profileName);
  return person && { ...person, isNote: true };
}

/** Whether a `system` message reports a changed number; messaging ignores the others. */
export function isNumberChange({ system }: UpstreamMessageItem['message']): boolean {
  return NUMBER_CHANGES.has(fieldOf(system, 'type') ?? '');
}

/**
 * A person whose number changed: `from` is the former one, `system.wa_id` the new one. Null when either cannot be read.
 *
 * Source: provider's "messages" webhook, `system`.
 */
export function movedPerson(item: UpstreamMessageItem, at: Date): ContactSighting | null {
  const { system, from, id } = item.message;
  const digits = fieldOf(system, 'wa_id') ?? fieldOf(system, 'new_wa_id') ?? '';
  const moved = phoneFromDigits(digits);
  const former = phoneFromDigits(from === '' ? (fieldOf(system, 'customer') ?? '') : from);
  if (!moved || !former) return null;
  const userId = item.userId ?? fieldOf(system, 'user_id') ?? '';
  return {
    phone: moved.phone,
    profileName: null,
    messagingId: digits,
    ...(UPSTREAM_ID.test(userId) && { upstreamUserId: userId }),
    formerPhone: former.phone,
    statement: { id, at: at.toISOString() },
    isNote: true,
  };
}

/** The recipient who stopped marketing messages, as a failed status reports (131050); null for any other status. */
export function stoppedRecipient(item: UpstreamStatusItem, channelId: string, source: Source): ContactSighting | null {
  if (item.status !== 'failed' || !item.errors?.some(({ code }) => code === STOPPED_BY_USER)) return null;
  const person = personOf(item.recipient_id ?? '', undefined, null);
  return (
    person && stating({ ...person, isNote: true }, { channelId, value: 'stop', source: 'UPSTREAM' }, item.id, source)
  );
}

/** The person, with what they said of messages on a channel. @param id of what said it: it applies once */
export function stating(
  person: ContactSighting,
  preference: SightedPreference,
  id: string,
  { at, eventId: order }: Source,
): ContactSighting {
  return { ...person, preference, statement: { id, at: at.toISOString(), order } };
}

function personOf(digits: string, userId: string | undefined, profileName: string | null): ContactSighting | null {
  const name = profileName?.slice(0, NAME_UNITS_MAX) ?? null;
  const number = phoneFromDigits(digits);
  const upstreamUserId = userId ?? (number ? '' : digits);
  const own = UPSTREAM_ID.test(upstreamUserId) ? { upstreamUserId } : {};
  if (number) return { phone: number.phone, profileName: name, messagingId: digits, ...own };
  return 'upstreamUserId' in own ? { phone: null, profileName: name, messagingId: null, ...own } : null;
}
