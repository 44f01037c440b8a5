import { Inject, Injectable } from '@nestjs/common';
import type { SuppressionFacts } from '@switchboard/contracts/messaging/rpc';
import { Database, withConflictRetries, type Transaction } from '@switchboard/postgres';
import { LOG, systemClock, type Log } from '@switchboard/platform';
import { lockPhones, makeRoomForContacts, projectContacts } from '../contact/contact.repository.js';
import { markedAttempts } from '../dispatch/marked-attempts.repository.js';
import { waitForMarkedAttempts } from '../dispatch/wait-for-marked-attempts.js';
import { lockContacts } from '../suppression/suppression.repository.js';

/** The fence of opt-outs: who passes it knows that no send behind it begins any more. */
@Injectable()
export class ApplySuppressions {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Stores a contact's facts, unless newer ones are known, and returns when no send that begins later passes an opt-out
   * of these: at most some 2.3 s after the commit.
   *
   * @throws SERVICE_UNAVAILABLE when the caller's patience ended before
   */
  async execute(organizationId: string, facts: SuppressionFacts, signal: AbortSignal): Promise<void> {
    const { contact } = facts;
    const startedMs = systemClock.monotonic();
    await withConflictRetries(() =>
      this.database.transaction((tx) => applyFenced(tx, organizationId, facts), { tenant: organizationId }),
    );
    const awaited = await this.waitForMarkedAttempts(organizationId, facts, signal);
    this.log.info('opt-outs.applied', {
      organizationId,
      contactId: contact.id,
      version: contact.version,
      awaited,
      durationMs: Math.round(systemClock.monotonic() - startedMs),
    });
  }

  /** @returns how many attempts were marked before the commit and had not ended */
  private async waitForMarkedAttempts(
    organizationId: string,
    { contact, merged = [] }: SuppressionFacts,
    signal: AbortSignal,
  ): Promise<number> {
    const channelIds = (contact.optOuts ?? []).map(({ channelId }) => channelId);
    if (channelIds.length === 0) return 0;
    // What is marked after the commit has seen the opt-outs.
    const contactIds = [contact, ...merged].map(({ id }) => id);
    const recipient = { organizationId, contactIds, phoneForms: contact.phoneForms, channelIds };
    return waitForMarkedAttempts(() => markedAttempts(this.database, recipient), signal);
  }
}

/**
 * Stores a contact's facts behind every send that is being marked: to it, or to a contact that was merged into it, whatever number it
 * goes to, and to its numbers, whosesoever they were when the send was judged.
 */
export async function applyFenced(
  tx: Transaction,
  organizationId: string,
  { contact, merged = [] }: SuppressionFacts,
): Promise<void> {
  const all = [contact, ...merged].map((one) => ({ organizationId, contact: one }));
  const keys = all.map(({ contact: { id } }) => ({ organizationId, contactId: id }));
  // For known facts too: the transaction that stored them may not have waited for the sends that are being marked.
  if ((await lockContacts(tx, keys)) < all.length) {
    // Another transaction may be making one known, and a send may be marked as soon as that is committed: before we had the row.
    await makeRoomForContacts(tx, all);
    await lockContacts(tx, keys);
  }
  await Promise.all([lockPhones(tx, { organizationId, contact }), projectContacts(tx, all)]);
}
