/** What audits look at in an event as webhooks and the feed carry it. */
export interface EventBody {
  readonly data: {
    readonly id: string;
    readonly sequence?: number;
    readonly message?: { readonly conversationId: string };
    readonly conversation?: { readonly id: string };
  };
}

/** An event with its place in its conversation; null where it has none. */
export function conversationOf({ data }: EventBody): {
  readonly dataId: string;
  readonly conversationId: string | null;
  readonly sequence: number | null;
} {
  const conversationId = data.message?.conversationId ?? data.conversation?.id ?? null;
  return { dataId: data.id, conversationId, sequence: data.sequence ?? null };
}
