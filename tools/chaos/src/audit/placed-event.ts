/** An event with its place in its conversation; null where it has none. */
export interface PlacedEvent {
  readonly dataId: string;
  readonly conversationId: string | null;
  readonly sequence: number | null;
}

/** A sentence for each event that came behind a newer one of its conversation. @param came its verb */
export function behindNewer(events: readonly PlacedEvent[], came: 'arrived' | 'came'): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ dataId, conversationId, sequence }) => {
    if (conversationId === null || sequence === null) return [];
    const former = last.get(conversationId) ?? 0;
    last.set(conversationId, Math.max(former, sequence));
    return sequence < former ? [`${dataId}, ${sequence} of ${conversationId}, ${came} after ${former}`] : [];
  });
}
