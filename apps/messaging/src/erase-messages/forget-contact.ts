import { Injectable } from '@nestjs/common';
import type { ContactToForget } from '@switchboard/contracts/messaging/rpc';
import { Relay } from '@switchboard/outbox';
import { Database, isTimedOut, limitStatements, withConflictRetries, type Transaction } from '@switchboard/postgres';
import { forgetContacts } from './erased-contact.repository.js';
import { skipItems } from './erased-item.repository.js';

/** How long a look for recipients that wait may take, of which an organization has some hundred thousand. */
const SKIPPED_WITHIN_MS = 1_000;

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
    if (names) await this.skip({ organizationId, ...names, erasedAt: new Date(names.erasedAt) });
    await this.transaction(organizationId, (tx) => forgetContacts(tx, [{ organizationId, contactId, version }]));
    this.relay.wake();
  }

  /** In a transaction of its own: behind an old snapshot a look at all that began since is cut off, and the event skips them. */
  private async skip(erased: Parameters<typeof skipItems>[1][number]): Promise<void> {
    try {
      await this.transaction(erased.organizationId, async (tx) => {
        await limitStatements(tx, SKIPPED_WITHIN_MS);
        await skipItems(tx, [erased]);
      });
    } catch (error) {
      if (!isTimedOut(error)) throw error;
    }
  }

  private transaction(tenant: string, work: (tx: Transaction) => Promise<void>): Promise<void> {
    return withConflictRetries(() => this.database.transaction(work, { tenant }));
  }
}
