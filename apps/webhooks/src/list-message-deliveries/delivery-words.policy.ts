import type { TimelineItem } from '@switchboard/contracts/messaging/timeline';
import type { DeliveryStep } from './message-deliveries.repository.js';

/**
 * A step of a delivery as the timeline of a message shows it. It names the webhook by its id alone: a URL may hold a token.
 *
 * Source: docs/api-behaviour.md#timeline.
 */
export function timelineItemOf(step: DeliveryStep): TimelineItem {
  const at = step.at.toISOString();
  const whom = `Webhook ${step.webhookId}`;
  switch (step.kind) {
    case 'PENDING': {
      const due = step.dueAt?.toISOString() ?? 'once it is possible';
      const detail = `${whom} gets ${step.event} in attempt ${step.attempt}${againOf(step)}, due ${due}.`;
      return { at, what: 'webhook pending', detail };
    }
    case 'DROPPED': {
      const detail = `${whom} was deactivated, deleted or unsubscribed before it got ${step.event}${againOf(step)}.`;
      return { at, what: 'webhook not informed', detail };
    }
    case 'ATTEMPT': {
      const answer = step.responseStatus === null ? (step.error ?? 'no response') : `HTTP ${step.responseStatus}`;
      const isInformed = step.outcome === 'SUCCEEDED';
      const did = isInformed ? 'got' : 'did not take';
      const what = isInformed ? 'webhook informed' : 'webhook not informed';
      const detail = `${whom} ${did} ${step.event} in attempt ${step.attempt}${againOf(step)}: ${answer}.`;
      return { at, what, detail };
    }
  }
}

/** Why it was sent again; nothing of what was sent by itself. */
function againOf({ sent }: DeliveryStep): string {
  if (sent === 'AUTOMATIC') return '';
  return sent === 'REPLAY' ? ' of a replay' : ' of a re-delivery';
}
