import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, LOG, PollingWorker, type Clock, type Log, type RoundResult } from '@switchboard/platform';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { sightAgain } from './resolve-contacts.js';
import { AccountWalkRepository, type WalkedContact } from './account-walk.repository.js';

/** Contacts of a slice: two look-ups by keys each. */
const SLICE_MAX = 1_000;
/** Until it is looked again whether the walk is due. */
const IDLE_MS = 10 * 60_000;

/**
 * Joins, once, contacts that an earlier release left apart although the upstream's id of one is the number of the other: as if the upstream
 * had answered so again. Nothing reports such an id any more, because messaging has it already.
 *
 * A slice a round, and a pause as long as it took. Replicas may look at the same slice: joined again nothing changes.
 */
@Injectable()
export class JoinAccountsWorker extends PollingWorker {
  constructor(
    private readonly walk: AccountWalkRepository,
    private readonly batch: ChangeContactsBatch,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'contacts.join-accounts-failed' });
  }

  /** One slice; one that failed is looked at again. */
  async round(): Promise<RoundResult> {
    const startedMs = this.clock.monotonic();
    const from = await this.walk.find();
    if (!from) return false;
    const slice = await this.walk.slice(from, SLICE_MAX);
    const last = slice.at(-1);
    if (!last) {
      await this.walk.end(from);
      this.log.info('contacts.accounts-joined', {});
      return false;
    }
    for (const contact of slice) {
      if (contact.phone !== '' && contact.accountOf !== null && contact.accountOf !== contact.id) {
        await this.join(contact);
      }
    }
    await this.walk.advance(from, last);
    return Math.max(1, Math.round(this.clock.monotonic() - startedMs));
  }

  private async join(contact: WalkedContact): Promise<void> {
    // Erased since it was looked at, or changed.
    if (!(await this.batch.change(sightAgain(contact)))) return;
    this.log.info('contact.account-met', { organizationId: contact.organizationId, contactId: contact.id });
  }
}
