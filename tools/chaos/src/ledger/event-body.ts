import type { PlacedEvent } from '../audit/placed-event.js';

/** What audits look at in an event as webhooks and the feed carry it. */
export interface EventBody {
  readonly data: {
    readonly id: string;
    readonly sequence?: number;
    readonly message?: { readonly conversationId: string };
    readonly conversation?: { readonly id: string };
  };
}

/** An event with its place in its conversation. */
export function conversationOf({ data }: EventBody): PlacedEvent {
  const conversationId = data.message?.conversationId ?? data.conversation?.id ?? null;
  return { dataId: data.id, conversationId, sequence: data.sequence ?? null };
}
