import { Inject, Injectable } from '@nestjs/common';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { appendEvents, Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/service';
import { ContactRepository } from '../contact/contact.repository.js';
import { foldSightings, formsToRead, type FoldedSightings, type ResolveItem } from './fold-sightings.policy.js';

/** Each lost race means that another batch has committed: so many in a row need as many replicas on the same phones. */
const RACES_MAX = 20;

/** Finds or makes the contacts of a batch of calls, with their events, in one transaction. */
@Injectable()
export class ResolveContacts {
  constructor(
    private readonly database: Database,
    private readonly contacts: ContactRepository,
    private readonly relay: Relay,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Leaves the same rows and events, and answers the same, as the items one after the other. What tells nothing new
   * costs one statement and no transaction.
   *
   * Another replica may resolve the same phones at the same time: whoever loses the key of a phone, or finds a contact
   * in another version than it was read in, rolls back, reads again and folds again.
   *
   * @returns one list of contacts per item, one contact per sighting
   * @throws OutcomeUnknown; asking again is always safe
   */
  async run(items: readonly ResolveItem[]): Promise<readonly (readonly ContactFacts[])[]> {
    const forms = formsToRead(items);
    for (let race = 0; race < RACES_MAX; race++) {
      const folded = foldSightings(items, await this.contacts.findByPhones(forms), newCuid);
      if (folded.told.length === 0 || (await this.store(folded))) return folded.answers;
    }
    throw new AppError(gatewayErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
  }

  /** False when a race was lost; nothing was stored then. */
  private async store({ created, changed, claims, told }: FoldedSightings): Promise<boolean> {
    const at = new Date(this.clock.now());
    try {
      await this.database.transaction(async (tx) => {
        // All keys first, then all rows: with one order for everybody nobody waits in a circle.
        if (!(await this.contacts.claimPhones(tx, claims))) throw new RaceLost();
        if (!(await this.contacts.change(tx, changed, at))) throw new RaceLost();
        this.contacts.insert(tx, created, at);
        appendEvents(
          tx,
          told.map(({ organizationId, contact, traceparent }) => ({
            event: contactChanged,
            organizationId,
            aggregateId: contact.id,
            sequence: contact.version,
            occurredAt: at,
            data: { contact },
            traceparent,
          })),
        );
      });
      this.relay.wake();
      return true;
    } catch (error) {
      if (error instanceof RaceLost) return false;
      throw error;
    }
  }
}

/** Rolls the transaction back; never leaves this file. */
class RaceLost extends Error {}
