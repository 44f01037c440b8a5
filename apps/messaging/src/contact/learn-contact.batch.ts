import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database, type Transaction } from '@switchboard/postgres';
import { coalesce, type Coalesced } from '@switchboard/postgres/coalesce';
import { projectContacts, type ProjectedContact } from './contact.repository.js';

/** A contact with its forms and opt-outs, about. */
const CONTACT_BYTES = 512;

/** Stores contacts that sends have just learnt: a flood of new numbers takes few transactions. */
@Injectable()
export class LearnContact implements BeforeApplicationShutdown {
  private readonly learn: Coalesced<ProjectedContact, null>;

  constructor(database: Database) {
    this.learn = coalesceLearnt(database, projectContacts);
  }

  /**
   * Resolves when the contact is stored, or a newer state of it was.
   *
   * @throws SERVICE_UNAVAILABLE when too much waits or the service is stopping; the signal's reason; OutcomeUnknown. Learning
   * again is safe
   */
  async execute(contact: ProjectedContact, signal: AbortSignal): Promise<void> {
    await this.learn(contact, signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.learn.drain();
  }
}

/** The coalesced function. @param run what a batch does */
export function coalesceLearnt(
  database: Database,
  run: (tx: Transaction, contacts: readonly ProjectedContact[]) => Promise<void>,
): Coalesced<ProjectedContact, null> {
  return coalesce<ProjectedContact, null>({
    name: 'messaging.learn-contact',
    run: async (contacts, options) => {
      await database.transaction((tx) => run(tx, contacts), { hasShortLocks: true, ...options });
      return contacts.map(() => ({ ok: null }));
    },
    tenant: ({ organizationId }) => organizationId,
    // Two batches of one process never race for the numbers of one organization.
    serialKey: ({ organizationId }) => organizationId,
    bytes: () => CONTACT_BYTES,
    limits: { items: 200, bytes: 1024 * 1024, inFlight: 2, waiting: 10_000 },
  });
}
