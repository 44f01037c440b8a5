import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { coalesce } from '@switchboard/postgres/coalesce';
import type { ResolveItem } from './fold-sightings.policy.js';
import { ResolveContacts } from './resolve-contacts.js';

/** A sighting with its two numbers and a name, and what it comes to in the database. */
const SIGHTING_BYTES = 512;

/** Resolves contacts of many calls at once; to its callers an ordinary function. */
@Injectable()
export class ResolveContactsBatch implements BeforeApplicationShutdown {
  private readonly coalesced = coalesce<ResolveItem, readonly ContactFacts[]>({
    name: 'contacts.resolve',
    run: async (items) => (await this.useCase.run(items)).map((ok) => ({ ok })),
    tenant: ({ organizationId }) => organizationId,
    // Two batches of one process never race for the phones of one organization; those of two replicas may.
    serialKey: ({ organizationId }) => organizationId,
    bytes: ({ sightings }) => sightings.length * SIGHTING_BYTES,
    limits: { items: 200, bytes: 1024 * 1024, inFlight: 2, waiting: 10_000 },
  });

  constructor(private readonly useCase: ResolveContacts) {}

  /**
   * One contact per sighting, in order.
   *
   * @throws SERVICE_UNAVAILABLE when too much waits or the service is stopping; the signal's reason; OutcomeUnknown
   */
  resolve(item: ResolveItem, signal?: AbortSignal): Promise<readonly ContactFacts[]> {
    return this.coalesced(item, signal);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.coalesced.drain();
  }
}
