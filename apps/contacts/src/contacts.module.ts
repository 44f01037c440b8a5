import { Module } from '@nestjs/common';
import { ContactRepository } from './contact/contact.repository.js';
import { ResolveContactsBatch } from './resolve-contacts/resolve-contacts.batch.js';
import { ResolveContactsHandler } from './resolve-contacts/resolve-contacts.handler.js';
import { ResolveContacts } from './resolve-contacts/resolve-contacts.js';

/** The contacts service. */
@Module({
  controllers: [ResolveContactsHandler],
  providers: [ContactRepository, ResolveContacts, ResolveContactsBatch],
})
export class ContactsModule {}
