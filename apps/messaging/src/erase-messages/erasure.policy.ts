import { ERASED } from '@switchboard/contracts/messaging/code-words';

/** Why a message that was still to be sent fails. Words of ours: they say nothing of the person, and stay. */
export const ERASED_FAILURE = {
  code: ERASED,
  message: 'The contact was erased before the message was handed over',
} as const;

/** Of a row of `contact`: it was erased (`forgetContacts`). Every other has a number or the upstream's id of the person. */
export function isErased(row: string): string {
  return `${row}.phone = '' AND ${row}.messaging_id = ''`;
}
