import { Injectable } from '@nestjs/common';
import type { ContactToForget } from '@switchboard/contracts/messaging/rpc';
import { Database, withConflictRetries } from '@switchboard/postgres';
import { forgetContacts } from './erased-contact.repository.js';

/** The fence of erasures: from its commit on no number leads to the contact, so that a send asks for a new one. */
@Injectable()
export class ForgetContact {
  constructor(private readonly database: Database) {}

  /** May be repeated. What a send learnt of the contact before, and stores after, is of an older version and changes nothing. */
  async execute(organizationId: string, contact: ContactToForget): Promise<void> {
    await withConflictRetries(() =>
      this.database.transaction((tx) => forgetContacts(tx, [{ organizationId, ...contact }]), {
        tenant: organizationId,
      }),
    );
  }
}
