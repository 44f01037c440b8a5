import type { ContactSighting, SightedPreference } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { phoneForms } from '../contact/alias.policy.js';

/** So many answers with names of 256 code points stay below the 1 MiB of a NATS message. */
const SIGHTINGS_MAX = 200;
/** Printable, without blanks: digits, or the provider's user ids. */
const UPSTREAM_ID = /^[!-~]{1,128}$/;
/** The provider's ids of messages are longer. */
const STATEMENT_ID_MAX = 300;

/**
 * The sightings of a request, each with only the fields that are known here.
 *
 * @throws VALIDATION_FAILED naming the first faulty field
 */
export function checkSightings(sightings: unknown): ContactSighting[] {
  if (!Array.isArray(sightings) || sightings.length < 1 || sightings.length > SIGHTINGS_MAX) {
    throw invalid(`\`sightings\` must be an array of 1 to ${SIGHTINGS_MAX}`);
  }
  return sightings.map((sighting: unknown, index): ContactSighting => {
    const at = `\`sightings[${index}]`;
    if (typeof sighting !== 'object' || sighting === null) throw invalid(`${at}\` must be an object`);
    const fields: Record<string, unknown> = { ...sighting };
    const { contactId = null, phone, profileName, messagingId, upstreamUserId = null, formerPhone = null } = fields;
    if (contactId !== null && !isCuid(contactId)) throw invalid(`${at}.contactId\` must be an id or null`);
    if (!isPhoneOrNull(phone)) throw invalid(`${at}.phone\` must be E.164 or null`);
    if (profileName !== null && typeof profileName !== 'string') {
      throw invalid(`${at}.profileName\` must be a string or null`);
    }
    if (!isIdOrNull(messagingId)) throw invalid(`${at}.messagingId\` must be 1 to 128 printable characters or null`);
    if (!isIdOrNull(upstreamUserId)) {
      throw invalid(`${at}.upstreamUserId\` must be 1 to 128 printable characters or null`);
    }
    if (phone === null && upstreamUserId === null) throw invalid(`${at}.phone\` or \`upstreamUserId\` must be given`);
    if (!isPhoneOrNull(formerPhone)) throw invalid(`${at}.formerPhone\` must be E.164 or null`);
    const seenAt = typeof fields['seenAt'] === 'string' ? new Date(fields['seenAt']) : null;
    if (Number.isNaN(seenAt?.getTime())) throw invalid(`${at}.seenAt\` must be a time or null`);
    const preference = checkPreference(fields['preference'] ?? null, at);
    const statement = checkStatement(fields['statement'] ?? null, at);
    if ((preference || formerPhone) && !statement) throw invalid(`${at}.statement\` must be given`);
    const [isNote, hasNoOwner] = [fields['isNote'] === true, fields['hasNoOwner'] === true];
    const given = { contactId, phone, profileName, messagingId, upstreamUserId };
    const seen = seenAt && { seenAt: seenAt.toISOString() };
    return { ...given, formerPhone, preference, statement, isNote, hasNoOwner, ...seen };
  });
}

function checkPreference(preference: unknown, at: string): SightedPreference | null {
  if (preference === null) return null;
  const { channelId, value, source }: Record<string, unknown> = { ...Object(preference) };
  const isKnown = (value === 'stop' || value === 'start') && (source === 'KEYWORD' || source === 'UPSTREAM');
  if (!isKnown || !isCuid(channelId)) throw invalid(`${at}.preference\` must name a channel, a value and a source`);
  return { channelId, value, source };
}

function checkStatement(statement: unknown, at: string): ContactSighting['statement'] {
  if (statement === null) return null;
  const { id, at: moment, order }: Record<string, unknown> = { ...Object(statement) };
  const time = typeof moment === 'string' ? new Date(moment) : null;
  const isId = typeof id === 'string' && id !== '' && id.length <= STATEMENT_ID_MAX && !id.includes('\0');
  if (!isId || !time || Number.isNaN(time.getTime())) throw invalid(`${at}.statement\` must have an id and a time`);
  // One spelling, so that times compare as texts.
  return { id, at: time.toISOString(), ...(isCuid(order) && { order }) };
}

function isPhoneOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && phoneForms(value).length > 0);
}

function isIdOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && UPSTREAM_ID.test(value));
}

function invalid(message: string): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, message);
}
