import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { phoneForms } from '../contact/contact.policy.js';

/** So many answers with names of 256 code points stay below the 1 MiB of a NATS message. */
const SIGHTINGS_MAX = 200;
/** Printable, without blanks: digits, or the provider's user ids. */
const MESSAGING_ID = /^[!-~]{1,128}$/;

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
    const { phone, profileName, messagingId }: Record<string, unknown> = { ...sighting };
    if (typeof phone !== 'string' || phoneForms(phone).length === 0) throw invalid(`${at}.phone\` must be E.164`);
    if (!isTextOrNull(profileName)) throw invalid(`${at}.profileName\` must be a string or null`);
    if (!isTextOrNull(messagingId) || (messagingId !== null && !MESSAGING_ID.test(messagingId))) {
      throw invalid(`${at}.messagingId\` must be 1 to 128 printable characters or null`);
    }
    return { phone, profileName, messagingId };
  });
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function invalid(message: string): AppError {
  return new AppError(gatewayErrors.VALIDATION_FAILED, message);
}
