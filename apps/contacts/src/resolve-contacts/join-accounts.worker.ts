import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, LOG, PollingWorker, type Clock, type Log, type RoundResult } from '@switchboard/platform';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { sightAgain } from './resolve-contacts.js';
import { AccountWalkRepository, type WalkedContact, type WalkedTo } from './account-walk.repository.js';

/** Contacts of a slice: two look-ups by keys each. */
const SLICE_MAX = 1_000;
/** Until it is looked again whether the walk is due, and until what could not be joined is looked at again. */
const IDLE_MS = 10 * 60_000;

/**
 * Joins, once, contacts that an earlier release left apart although the upstream's id of one is the number of the other: as if the upstream
 * had answered so again. Nothing reports such an id any more, because messaging has it already.
 *
 * A slice a round, and a pause as long as it took. Replicas may look at the same slice: joined again nothing changes. An organization whose
 * contacts are locked holds up no other: the walk is kept before it, and goes on in this process alone until its end, then again from there.
 */
@Injectable()
export class JoinAccountsWorker extends PollingWorker {
  /** Behind what the walk is kept at; null: there it is. */
  private ahead: WalkedTo | null = null;

  constructor(
    private readonly walk: AccountWalkRepository,
    private readonly batch: ChangeContactsBatch,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'contacts.join-accounts-failed' });
  }

  /** One slice. */
  async round(): Promise<RoundResult> {
    const startedMs = this.clock.monotonic();
    const kept = await this.walk.find();
    if (!kept) return false;
    const from = this.ahead ?? kept;
    const slice = await this.walk.slice(from, SLICE_MAX);
    const last = slice.at(-1);
    if (!last) return this.end(from);
    const isWhole = await this.joinAll(slice);
    if (isWhole && !this.ahead) await this.walk.advance(from, last);
    else this.ahead = last;
    return Math.max(1, Math.round(this.clock.monotonic() - startedMs));
  }

  private async end(from: WalkedTo): Promise<false> {
    if (!this.ahead) {
      await this.walk.end(from);
      this.log.info('contacts.accounts-joined', {});
    }
    this.ahead = null;
    return false;
  }

  /** @returns false when something of an organization could not be joined */
  private async joinAll(slice: readonly WalkedContact[]): Promise<boolean> {
    const failed = new Set<string>();
    for (const contact of slice) {
      const { organizationId, id, phone, accountOf } = contact;
      if (phone === '' || accountOf === null || accountOf === id || failed.has(organizationId)) continue;
      try {
        await this.join(contact);
      } catch (error) {
        this.log.error('contacts.join-accounts-failed', error, { organizationId });
        failed.add(organizationId);
      }
    }
    return failed.size === 0;
  }

  private async join(contact: WalkedContact): Promise<void> {
    // Erased since it was looked at, or changed.
    if (!(await this.batch.change(sightAgain(contact)))) return;
    this.log.info('contact.account-met', { organizationId: contact.organizationId, contactId: contact.id });
  }
}
