import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';

/** The data of an event that is of the definition and of an organization; null for any other. */
export function eventDataOf<Data>(
  { subject, organizationId, data }: EventEnvelope,
  definition: EventDefinition<Data>,
): { readonly organizationId: string; readonly data: Data } | null {
  if (subject !== definition.subject || organizationId === null) return null;
  // The subject decides the shape: the event was written from the same definition.
  return { organizationId, data: data as Data };
}
