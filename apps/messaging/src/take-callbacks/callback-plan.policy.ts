import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
  type CallbackItem,
  type CallbackPreference,
  type UpstreamMessageItem,
  type UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import type { EventDataOf, EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { IgnoredReason } from '../callback/callback-metrics.js';
import type { Channel } from '../channel/channel.entity.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import { partOf, saidWith } from './inbound-content.policy.js';
import { spokenPreference } from './preference.policy.js';
import {
  isNumberChange,
  movedPerson,
  personOfPreference,
  senderOf,
  stating,
  stoppedRecipient,
  type Source,
} from './sighting.policy.js';
import { factOf } from './status-fact.policy.js';
import { refusalIn } from './status-refusal.policy.js';

/** A sighting of a person, with the organization. */
export interface SeenPerson {
  readonly organizationId: string;
  readonly sighting: ContactSighting;
}

/** What is to be done with an item of a callback. */
export type CallbackPlan =
  /** A message: stored under its sender, the first of `people`. */
  | {
      readonly act: 'store';
      readonly channel: Channel;
      readonly callback: CallbackItem<UpstreamMessageItem>;
      readonly people: readonly SeenPerson[];
    }
  /** A status of a message of ours. */
  | {
      readonly act: 'report';
      readonly channel: Channel;
      readonly callback: CallbackItem<UpstreamStatusItem>;
      readonly people: readonly SeenPerson[];
      /** Why bulk sends have to wait. */
      readonly refusal: UpstreamOutcome | null;
    }
  /** Only contacts have something to learn. */
  | { readonly act: 'inform-contacts'; readonly people: readonly SeenPerson[] }
  | { readonly act: 'ignore'; readonly reason: IgnoredReason }
  /** It cannot be read: kept as a dead letter of its own. */
  | { readonly act: 'dead-letter'; readonly reason: string };

/** As the gateway reads a time of the upstream. */
const UNIX_SECONDS = /^\d{9,10}$/;

/** The channels that callbacks may be about. */
export interface KnownLines {
  readonly byPhoneNumberId: ReadonlyMap<string, Channel>;
  readonly byBusinessAccountId: ReadonlyMap<string, readonly Channel[]>;
}

/** The lines that an event names. */
export function linesOf(envelope: EventEnvelope): {
  readonly phoneNumberId?: string;
  readonly businessAccountId?: string;
} {
  const item = dataOf(callbackMessage, envelope) ?? dataOf(callbackStatus, envelope);
  if (item) return { phoneNumberId: item.phoneNumberId };
  const preference = dataOf(callbackPreference, envelope);
  if (!preference) return {};
  const { phoneNumberId, businessAccountId } = preference;
  return phoneNumberId === null ? { businessAccountId } : { phoneNumberId };
}

/** Whether it says of a message of ours no more than how far it came. */
export function isProgress(envelope: EventEnvelope): boolean {
  const status: { readonly item?: { readonly status?: string } } | null = dataOf(callbackStatus, envelope);
  return status?.item?.status !== undefined && status.item.status !== 'failed';
}

/**
 * What is to be done with one event of the gateway. Pure; never throws, whatever the upstream put into the item.
 */
export function planOf(envelope: EventEnvelope, lines: KnownLines): CallbackPlan {
  const source: Source = { at: new Date(envelope.occurredAt), eventId: envelope.id };
  const message = dataOf(callbackMessage, envelope);
  if (message) return planOfMessage(message, lines.byPhoneNumberId.get(message.phoneNumberId), source);
  const status = dataOf(callbackStatus, envelope);
  if (status) return planOfStatus(status, lines.byPhoneNumberId.get(status.phoneNumberId), source);
  const preference = dataOf(callbackPreference, envelope);
  if (preference) return planOfPreference(preference, lines, source);
  const change = dataOf(callbackChange, envelope);
  if (!change) return ignored('other-field');
  if (change.isOdd)
    return { act: 'dead-letter', reason: `an item of \`${change.field}\` is not in the shape that was agreed` };
  return ignored(partOf(change.value, 'errors') === undefined ? 'other-field' : 'upstream-error');
}

function planOfMessage(
  callback: CallbackItem<UpstreamMessageItem>,
  channel: Channel | undefined,
  source: Source,
): CallbackPlan {
  if (!channel) return ignored('unknown-line');
  const { organizationId, id: channelId, optOutKeywords } = channel;
  const { item } = callback;
  if (item.message.type === 'system') {
    if (!isNumberChange(item.message)) return ignored('system-message');
    const moved = movedPerson(item, source.at);
    if (!moved) return { act: 'dead-letter', reason: 'a number changed, but from which to which cannot be read' };
    return { act: 'inform-contacts', people: [{ organizationId, sighting: moved }] };
  }
  const sender = senderOf(item);
  if (!sender) return { act: 'dead-letter', reason: 'the message does not say who sent it' };
  const value = spokenPreference(saidWith(item.message), optOutKeywords);
  const preference = value && ({ channelId, value, source: 'KEYWORD' } as const);
  const seen = sender.phone !== null && sender.upstreamUserId ? { ...sender, seenAt: source.at.toISOString() } : sender;
  const sighting = preference ? stating(seen, preference, item.message.id, source) : seen;
  return { act: 'store', channel, callback, people: [{ organizationId, sighting }] };
}

function planOfStatus(
  callback: CallbackItem<UpstreamStatusItem>,
  channel: Channel | undefined,
  source: Source,
): CallbackPlan {
  if (!channel) return ignored('unknown-line');
  if (!factOf(callback.item, source.at)) return ignored('unknown-status');
  const stopped = stoppedRecipient(callback.item, channel.id, source);
  const people = stopped ? [{ organizationId: channel.organizationId, sighting: stopped }] : [];
  return { act: 'report', channel, callback, people, refusal: refusalIn(callback.item) };
}

/** `stop` opts out, `resume` removes that opt-out, on the line that it names, or on every line of the account. */
function planOfPreference(preference: CallbackPreference, lines: KnownLines, source: Source): CallbackPlan {
  const { phoneNumberId, businessAccountId, item, profileName } = preference;
  const ofLine = phoneNumberId === null ? undefined : lines.byPhoneNumberId.get(phoneNumberId);
  const ofAccount = phoneNumberId === null ? (lines.byBusinessAccountId.get(businessAccountId) ?? []) : [];
  const channels = ofLine ? [ofLine] : ofAccount;
  if (channels.length === 0) return ignored('unknown-line');
  if (item.value !== 'stop' && item.value !== 'resume') return ignored('unknown-preference');
  const person = personOfPreference(item, profileName);
  if (!person) return { act: 'dead-letter', reason: 'the preference does not say whose it is' };
  const value = item.value === 'stop' ? 'stop' : 'start';
  // The upstream gives it no id; repeated it is the same statement, if its time can be read: what is no time is replaced by
  // when the gateway took it. Whose it is, as it was understood: contacts would refuse the whole batch for an id that is long
  // or has a NUL, and the database for one with half a character.
  const when = UNIX_SECONDS.test(item.timestamp) ? item.timestamp : source.at.toISOString();
  const id = `user_preferences ${person.messagingId ?? person.upstreamUserId ?? ''} ${when} ${item.value}`;
  return {
    act: 'inform-contacts',
    people: channels.map(({ organizationId, id: channelId }) => ({
      organizationId,
      sighting: stating(person, { channelId, value, source: 'UPSTREAM' }, id, source),
    })),
  };
}

function ignored(reason: IgnoredReason): CallbackPlan {
  return { act: 'ignore', reason };
}

/** The event's data when it is of that kind. */
function dataOf<Definition extends EventDefinition>(
  definition: Definition,
  envelope: EventEnvelope,
): EventDataOf<Definition> | null {
  // The subject decides the shape: both were written from the same definition.
  return envelope.subject === definition.subject ? (envelope.data as EventDataOf<Definition>) : null;
}
