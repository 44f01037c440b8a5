import { contactChanged, optOutCreated, optOutDeleted } from '@switchboard/contracts/contacts/events';
import * as contacts from '@switchboard/contracts/contacts/rpc';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
} from '@switchboard/contracts/gateway/events';
import { changeChannelRpc, connectChannelRpc } from '@switchboard/contracts/messaging/channel-rpc';
import * as messaging from '@switchboard/contracts/messaging/events';
import { foreignLinesRpc } from '@switchboard/contracts/messaging/line-rpc';
import {
  applySuppressionsRpc,
  changeConversationRpc,
  findMessagesRpc,
  forgetContactRpc,
  getConversationRpc,
  getMessageRpc,
  listConversationsRpc,
  listMessagesRpc,
  sendMessageOnceRpc,
  sendMessageRpc,
} from '@switchboard/contracts/messaging/rpc';
import { commitJobRpc, listRecipientsRpc } from '@switchboard/contracts/templates/job-rpc';
import { listTemplatesRpc } from '@switchboard/contracts/templates/rpc';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import type { CanaryKind } from './canary.js';

type Carriers = Readonly<Record<string, readonly CanaryKind[]>>;

const answerTo = ({ subject }: { readonly subject: string }): string => `answer of ${subject}`;

/**
 * Which subjects carry what of people, because who hears them needs it. What is not named here carries nothing. Secrets travel
 * where they are stored or shown, in requests and answers that no stream keeps; in no event.
 */
export const carriers: Carriers = {
  // A text on its way out. A refusal is passed on in the upstream's own words, which may quote the request.
  [sendMessageRpc.subject]: ['phone', 'text'],
  [answerTo(sendMessageRpc)]: ['phone', 'text'],
  [sendMessageOnceRpc.subject]: ['phone', 'text'],
  [answerTo(sendMessageOnceRpc)]: ['phone', 'text'],
  [answerTo(getMessageRpc)]: ['phone', 'text'],
  [answerTo(listMessagesRpc)]: ['phone', 'text'],
  [answerTo(findMessagesRpc)]: ['phone', 'text'],
  // Recipients with what the caller noted of them; a search for a template is a text.
  [commitJobRpc.subject]: ['phone', 'text'],
  [answerTo(listRecipientsRpc)]: ['phone'],
  [listTemplatesRpc.subject]: ['text'],
  // Events in full, as webhooks carry them.
  [answerTo(listEventsRpc)]: ['phone', 'text', 'name'],
  [answerTo(listConversationsRpc)]: ['phone', 'name'],
  [answerTo(getConversationRpc)]: ['phone', 'name'],
  [answerTo(changeConversationRpc)]: ['phone', 'name'],
  // Contacts are phones and names.
  [contacts.resolveContactsRpc.subject]: ['phone', 'name'],
  [answerTo(contacts.resolveContactsRpc)]: ['phone', 'name'],
  [contacts.upsertContactRpc.subject]: ['phone', 'name'],
  [answerTo(contacts.upsertContactRpc)]: ['phone', 'name'],
  [answerTo(contacts.getContactRpc)]: ['phone', 'name'],
  [contacts.listContactsRpc.subject]: ['phone', 'text'],
  [answerTo(contacts.listContactsRpc)]: ['phone', 'name'],
  // Of a contact that is erased, until every service has looked for them.
  [answerTo(contacts.getErasureRpc)]: ['phone'],
  [contactChanged.subject]: ['phone', 'name'],
  // The facts of a contact, as the event carries them.
  [applySuppressionsRpc.subject]: ['phone', 'name'],
  // By which a contact's bulk recipients are found.
  [forgetContactRpc.subject]: ['phone'],
  // What callbacks of a contact that is erased name as their line, whatever it is.
  [foreignLinesRpc.subject]: ['phone'],
  // Events of opt-outs carry the phone, and the reason as it was given.
  [contacts.createOptOutRpc.subject]: ['phone', 'text'],
  [answerTo(contacts.createOptOutRpc)]: ['phone', 'text'],
  [answerTo(contacts.getOptOutRpc)]: ['phone', 'text'],
  [contacts.listOptOutsRpc.subject]: ['phone'],
  [answerTo(contacts.listOptOutsRpc)]: ['phone', 'text'],
  [optOutCreated.subject]: ['phone', 'text'],
  [optOutDeleted.subject]: ['phone', 'text'],
  // Messages in full, as the API shows them.
  [messaging.messageAccepted.subject]: ['text'],
  [messaging.messageSent.subject]: ['text'],
  [messaging.messageDelivered.subject]: ['text'],
  [messaging.messageRead.subject]: ['text'],
  [messaging.messageReceived.subject]: ['text'],
  [messaging.messageFailed.subject]: ['phone', 'text'],
  [messaging.conversationOpened.subject]: ['phone', 'name'],
  [messaging.conversationClosed.subject]: ['phone', 'name'],
  [messaging.conversationUpdated.subject]: ['phone', 'name'],
  [messaging.messageCorrected.subject]: ['phone', 'text'],
  // A channel's access token, on its way to where it is sealed.
  [connectChannelRpc.subject]: ['secret'],
  [changeChannelRpc.subject]: ['secret'],
  // The upstream's own words, as they came.
  [callbackStatus.subject]: ['phone', 'text'],
  [callbackMessage.subject]: ['phone', 'text', 'name'],
  [callbackPreference.subject]: ['phone', 'name'],
  [callbackChange.subject]: ['phone', 'text', 'name'],
};

/** Those that nothing in the test surely brings about. */
const seldomSeen = new Set([
  messaging.conversationUpdated.subject,
  messaging.messageCorrected.subject,
  foreignLinesRpc.subject,
  answerTo(sendMessageOnceRpc),
]);

/** Those that any run uses, with everything they may carry. */
export const surelySeen: readonly string[] = Object.keys(carriers).filter((label) => !seldomSeen.has(label));
