import { contactErased } from '@switchboard/contracts/contacts/events';

/** An erasure that is announced. */
export interface AnnouncedErasure {
  readonly organizationId: string;
  readonly contactId: string;
  readonly erasedAt: Date;
  /** Above every version that the contact ever had. */
  readonly sequence: number;
}

/** The event of an erasure, the same however often it is announced. */
export function erasedEvent({ organizationId, contactId, erasedAt: occurredAt, sequence }: AnnouncedErasure) {
  const data = { contactId };
  return { event: contactErased, organizationId, aggregateId: contactId, sequence, occurredAt, data };
}
