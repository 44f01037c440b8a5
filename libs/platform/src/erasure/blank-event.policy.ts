import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
} from '@switchboard/contracts/gateway/events';
import { ERASED } from '@switchboard/contracts/messaging/code-words';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import type { ForeignLines } from './foreign-lines.js';
import type { OwnName } from './own-name.js';

/** The person that is erased, as stored events name them. */
export interface ErasedPerson {
  readonly contactId: string;
  readonly erasedAt: Date;
  /** Digits of their numbers, and the upstream's own ids of them. */
  readonly upstreamNames: readonly string[];
  /** Those that they gave up before: what came later may be about somebody else. */
  readonly formerNames: readonly OwnName[];
}

type Fields = Readonly<Record<string, unknown>>;

/** What is personal of a message, a contact or an opt-out, by the name that every shape uses, and what is left of it. */
const PERSONAL: Fields = {
  text: null,
  clientReference: null,
  metadata: {},
  phone: '',
  phoneForms: [],
  messagingId: '',
  name: null,
  email: null,
  reason: null,
};

/**
 * A stored event, or the body of a webhook, without what is personal of the contact; everything else of it is as it was, and
 * other contacts' too. The same text when it holds nothing of the contact.
 */
export function blankContact(json: string, contactId: string): string {
  if (!json.includes(contactId)) return json;
  return JSON.stringify(blanked(JSON.parse(json), contactId));
}

function blanked(value: unknown, contactId: string): unknown {
  if (Array.isArray(value)) return value.map((item) => blanked(item, contactId));
  if (!isFields(value)) return value;
  const isOwn = value.contactId === contactId || value.id === contactId;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (isOwn && Object.hasOwn(PERSONAL, name)) return [name, PERSONAL[name]];
      // What the erasure itself wrote as the reason of a failure says nothing of the person.
      if (isOwn && name === 'error' && isFields(part) && part.code !== ERASED) return [name, { ...part, message: '' }];
      return [name, blanked(part, contactId)];
    }),
  );
}

/** A callback's event without what is personal of the person; null when it is none of theirs, or another organization's. */
export function blankCallback(
  envelope: EventEnvelope,
  person: ErasedPerson,
  foreign: Pick<ForeignLines, 'has'>,
): EventEnvelope | null {
  const blank = BLANK_CALLBACKS.get(envelope.subject);
  if (!blank || !isFields(envelope.data) || foreign.has(envelope.data)) return null;
  return blank(envelope, envelope.data, person);
}

type Blank = (envelope: EventEnvelope, data: Fields, person: ErasedPerson) => EventEnvelope | null;

const BLANK_CALLBACKS: ReadonlyMap<string, Blank> = new Map<string, Blank>([
  [callbackStatus.subject, blankStatus],
  [callbackMessage.subject, blankMessage],
  [callbackPreference.subject, blankPreference],
  [callbackChange.subject, blankChange],
]);

function blankStatus(envelope: EventEnvelope, data: Fields, person: ErasedPerson): EventEnvelope | null {
  const item = fieldsOf(data.item);
  if (!isOneOf(item.recipient_id, namesAt(envelope, person))) return null;
  const { id, status, timestamp, biz_opaque_callback_data: reference, errors } = item;
  const codes = Array.isArray(errors) ? errors.map((error) => ({ code: fieldsOf(error).code })) : undefined;
  const left = { id, status, timestamp, biz_opaque_callback_data: reference, errors: codes };
  return { ...envelope, data: { phoneNumberId: data.phoneNumberId, item: left } };
}

function blankMessage(envelope: EventEnvelope, data: Fields, person: ErasedPerson): EventEnvelope | null {
  const item = fieldsOf(data.item);
  const message = fieldsOf(item.message);
  const names = namesAt(envelope, person);
  const isFromThem = isOneOf(message.from, names) || isOneOf(item.userId, names);
  if (!isBefore(envelope, person) || !(isFromThem || isNoteOf(message, person))) return null;
  const { id, timestamp, type } = message;
  const left = { message: { id, from: '', timestamp, type }, profileName: null };
  return { ...unnamed(envelope), data: { phoneNumberId: data.phoneNumberId, item: left } };
}

function blankPreference(envelope: EventEnvelope, data: Fields, person: ErasedPerson): EventEnvelope | null {
  const { wa_id: number, user_id: userId, value, timestamp } = fieldsOf(data.item);
  const names = namesAt(envelope, person);
  if (!isOneOf(number, names) && !isOneOf(userId, names)) return null;
  if (!isBefore(envelope, person)) return null;
  return { ...unnamed(envelope), data: { ...data, item: { value, timestamp }, profileName: null } };
}

/** Its shape is the provider's: it is the person's when any text in it holds one of their names, whole. */
function blankChange(envelope: EventEnvelope, data: Fields, person: ErasedPerson): EventEnvelope | null {
  if (!isBefore(envelope, person) || !holdsName(data.value, namesAt(envelope, person))) return null;
  return { ...envelope, data: { ...data, value: { isErased: true } } };
}

/** The names that were theirs when the event was stored. */
function namesAt({ id }: EventEnvelope, { upstreamNames, formerNames }: ErasedPerson): readonly string[] {
  return [...upstreamNames, ...formerNames.filter(({ until }) => id < cuidFloor(until)).map(({ name }) => name)];
}

/**
 * Whether it is the provider's note of a number that changed, from one of theirs or to one. It is what ended a former name, and may
 * come again after that; another person's note, about the same number, has been followed by the time it is overwritten.
 */
function isNoteOf({ type, from, system }: Fields, { upstreamNames, formerNames }: ErasedPerson): boolean {
  const names = [...upstreamNames, ...formerNames.map(({ name }) => name)];
  return type === 'system' && (isOneOf(from, names) || holdsName(system, names));
}

/** What the person says after they were erased begins anew. */
function isBefore({ id }: EventEnvelope, { erasedAt }: ErasedPerson): boolean {
  return id < cuidFloor(erasedAt);
}

/** The aggregate of what a person says is «line:person». */
function unnamed(envelope: EventEnvelope): EventEnvelope {
  return { ...envelope, aggregateId: envelope.aggregateId.slice(0, envelope.aggregateId.indexOf(':') + 1) };
}

function holdsName(value: unknown, names: readonly string[]): boolean {
  const words = (JSON.stringify(value) ?? '').split(/[^0-9A-Za-z._:=-]+/);
  // A word may end a sentence.
  return names.some((name) => words.some((word) => word === name || word.replace(/[.:]$/, '') === name));
}

function isOneOf(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'string' && names.includes(value.replace(/^\+/, ''));
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
