import type { Message } from '../../api/api.generated.js';
import type { Tone } from '../../ui/status-badge.js';

/** A status of a message as people read it. */
export const statusWords: Readonly<Record<Message['status'], readonly [string, Tone]>> = {
  QUEUED: ['Waiting to be sent', 'busy'],
  SENT: ['Sent', 'quiet'],
  DELIVERED: ['Delivered', 'quiet'],
  READ: ['Read', 'good'],
  FAILED: ['Not delivered', 'bad'],
  RECEIVED: ['Received', 'quiet'],
};
