import { deliveryReportRpc, templateReportRpc, usageReportRpc } from './analytics/rpc.js';
import {
  changeChannelRpc,
  connectChannelRpc,
  disconnectChannelRpc,
  getManagedChannelRpc,
  listManagedChannelsRpc,
  testChannelRpc,
} from './messaging/channel-rpc.js';
import {
  confirmErasureRpc,
  createOptOutRpc,
  deleteOptOutRpc,
  eraseContactRpc,
  getContactRpc,
  getErasureRpc,
  getOptOutRpc,
  listContactsRpc,
  listOptOutsRpc,
  upsertContactRpc,
} from './contacts/rpc.js';
import {
  controlLaneRpc,
  laneStateRpc,
  releaseQuotaRpc,
  reserveQuotaRpc,
  skipRecipientsRpc,
  submitBatchRpc,
} from './messaging/bulk-rpc.js';
import {
  changeConversationRpc,
  getConversationRpc,
  getMessageRpc,
  getQuotaRpc,
  listChannelsRpc,
  listConversationsRpc,
  listMessagesRpc,
  findMessagesRpc,
  sendMessageOnceRpc,
  sendMessageRpc,
} from './messaging/rpc.js';
import { getTimelineRpc } from './messaging/timeline.js';
import { getTemplateRpc, listTemplatesRpc } from './templates/rpc.js';
import {
  changeWebhookRpc,
  createWebhookRpc,
  deleteWebhookRpc,
  enableWebhookRpc,
  getWebhookDeliveryRpc,
  getWebhookRpc,
  getWebhookSecretRpc,
  listEventsRpc,
  listMessageDeliveriesRpc,
  listWebhookAttemptsRpc,
  listWebhooksRpc,
  redeliverWebhookRpc,
  replayWebhookRpc,
  rotateWebhookSecretRpc,
  testWebhookRpc,
} from './webhooks/rpc.js';

/** What the gateway asks contacts for. */
export const contactRequests = [
  upsertContactRpc,
  getContactRpc,
  listContactsRpc,
  createOptOutRpc,
  getOptOutRpc,
  listOptOutsRpc,
  deleteOptOutRpc,
  eraseContactRpc,
];

/** What every service that keeps something of contacts asks for while it erases one. */
export const erasureRequests = [getErasureRpc, confirmErasureRpc];

/** What the gateway asks templates for, apart from jobs. */
export const templateRequests = [listTemplatesRpc, getTemplateRpc];

/** What the gateway asks messaging for. */
export const messagingRequests = [
  sendMessageRpc,
  sendMessageOnceRpc,
  getMessageRpc,
  getTimelineRpc,
  listMessagesRpc,
  findMessagesRpc,
  getConversationRpc,
  listConversationsRpc,
  changeConversationRpc,
  listChannelsRpc,
  getQuotaRpc,
  connectChannelRpc,
  changeChannelRpc,
  testChannelRpc,
  disconnectChannelRpc,
  getManagedChannelRpc,
  listManagedChannelsRpc,
];

/** What templates asks messaging for: the lanes of its jobs. */
export const laneRequests = [
  submitBatchRpc,
  skipRecipientsRpc,
  controlLaneRpc,
  laneStateRpc,
  reserveQuotaRpc,
  releaseQuotaRpc,
];

/** What the gateway asks webhooks for. */
export const webhookRequests = [
  createWebhookRpc,
  listWebhooksRpc,
  getWebhookRpc,
  changeWebhookRpc,
  deleteWebhookRpc,
  getWebhookSecretRpc,
  rotateWebhookSecretRpc,
  enableWebhookRpc,
  testWebhookRpc,
  listWebhookAttemptsRpc,
  getWebhookDeliveryRpc,
  redeliverWebhookRpc,
  replayWebhookRpc,
  listEventsRpc,
  listMessageDeliveriesRpc,
];

/** What the gateway asks analytics for. */
export const reportRequests = [deliveryReportRpc, templateReportRpc, usageReportRpc];
