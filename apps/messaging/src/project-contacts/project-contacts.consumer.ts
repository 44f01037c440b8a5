import { Inject, Injectable } from '@nestjs/common';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import type { Transaction } from '@switchboard/postgres';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import { projectContacts } from '../contact/contact.repository.js';

type ContactChanged = EventDataOf<typeof contactChanged>;

/** Keeps messaging's projection of contacts up to date, their opt-outs too; sends read it as it is (the fence does not). */
@Injectable()
export class ProjectContactsConsumer extends ProjectionConsumer<ContactChanged> {
  constructor(@Inject(PLATFORM) platform: Platform) {
    super(platform, contactChanged, { consumer: messagingContactsConsumer, batchMax: 200 });
  }

  protected async project(tx: Transaction, events: readonly ProjectedEvent<ContactChanged>[]): Promise<void> {
    const contacts = events.map(({ organizationId, data: { contact, observed = [] } }) => ({
      organizationId,
      contact,
      observed,
    }));
    await projectContacts(tx, contacts, 'event');
  }
}
