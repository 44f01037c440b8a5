import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { coalesce } from '@switchboard/postgres/coalesce';
import { ChangeContacts, type ContactChange } from './change-contacts.js';

/** An alias with the contact behind it, and what a change of it comes to in the database. */
const QUESTION_BYTES = 512;

/** Makes the changes of many calls at once; to its callers an ordinary function. */
@Injectable()
export class ChangeContactsBatch implements BeforeApplicationShutdown {
  private readonly coalesced = coalesce<ContactChange<unknown>, unknown>({
    name: 'contacts.change',
    run: (changes, options) => this.useCase.run(changes, options),
    tenant: ({ organizationId }) => organizationId,
    // Two batches of one process never race for the contacts of one organization; those of two replicas may.
    serialKey: ({ organizationId }) => organizationId,
    bytes: ({ aliases, contactIds }) => (aliases.length + contactIds.length) * QUESTION_BYTES,
    limits: { items: 200, bytes: 1024 * 1024, inFlight: 2, waiting: 10_000 },
  });

  constructor(private readonly useCase: ChangeContacts) {}

  /**
   * What the change's `decide` returned, stored.
   *
   * @throws what `decide` threw; SERVICE_UNAVAILABLE when too much waits or the service is stopping; the signal's reason;
   * OutcomeUnknown
   */
  async change<Result>(change: ContactChange<Result>, signal?: AbortSignal): Promise<Result> {
    // The batch answers each change with what its own `decide` returned.
    return (await this.coalesced(change, signal)) as Result;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.coalesced.drain();
  }
}
