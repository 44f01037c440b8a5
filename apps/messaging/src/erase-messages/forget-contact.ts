import { Injectable } from '@nestjs/common';
import type { ContactToForget } from '@switchboard/contracts/messaging/rpc';
import { Relay } from '@switchboard/outbox';
import { Database, withConflictRetries, type Transaction } from '@switchboard/postgres';
import { forgetContacts } from './erased-contact.repository.js';
import { skipItems } from './erased-item.repository.js';

/**
 * The fence of erasures: from its commit on no number leads to the contact, so that a send asks for a new one; what is to be sent again
 * is refused when it is claimed, and no bulk recipient that waits begins.
 */
@Injectable()
export class ForgetContact {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
  ) {}

  /** May be repeated. What a send learnt of the contact before, and stores after, is of an older version and changes nothing. */
  async execute(organizationId: string, { contactId, version, names }: ContactToForget): Promise<void> {
    const forget = async (tx: Transaction): Promise<void> => {
      // Lanes before contacts, as every transaction.
      if (names) await skipItems(tx, [{ organizationId, ...names, erasedAt: new Date(names.erasedAt) }]);
      await forgetContacts(tx, [{ organizationId, contactId, version }]);
    };
    await withConflictRetries(() => this.database.transaction(forget, { tenant: organizationId }));
    this.relay.wake();
  }
}
