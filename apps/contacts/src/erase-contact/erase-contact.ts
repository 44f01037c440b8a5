import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { contactActed } from '@switchboard/contracts/contacts/events';
import type { AuditedActor } from '@switchboard/contracts/grammar/audited-act';
import { serviceNames } from '@switchboard/contracts/topology';
import { appendAct, appendEvents, findAct, Relay } from '@switchboard/outbox';
import { EraseSignal, CLOCK, noteErasures, type Clock } from '@switchboard/platform';
import { Database, statement, withConflictRetries, type Transaction } from '@switchboard/postgres';
import { moveMark, phoneForms } from '../contact/alias.policy.js';
import { ERASED, statedTimes } from '../contact/applied-statements.policy.js';
import type { Contact, OptOut } from '../contact/contact.entity.js';
import { keepFormerAliases } from '../contact/former-alias.repository.js';
import { mergedIdsOf } from '../contact/merged-contact.repository.js';
import { VERSION_FLOOR } from '../contact/version-floor.js';
import { HeldOptOutRepository } from '../held-opt-out/held-opt-out.repository.js';
import { erasedEvent, type AnnouncedErasure } from './erased-event.js';
import { UnconfirmedErasureRepository, type UnconfirmedErasure } from './unconfirmed-erasure.repository.js';

/** What an erasure came to; `repeated`: a former try of the same act was confirmed already. */
export type ErasureOutcome = UnconfirmedErasure | 'repeated' | 'not-found';

type ErasedRow = Pick<Contact, 'version' | 'phone' | 'updatedAt' | 'appliedStatements' | 'mergedInto'>;

/** Before its aliases, as every change of a contact: one that was read before finds another version, and is decided anew. */
const deleteContact = statement<ErasedRow>(
  'contacts.erase.contact',
  `DELETE FROM contact WHERE organization_id = $1 AND id = $2
   RETURNING greatest(version, ${VERSION_FLOOR})::float8 AS version, phone, updated_at AS "updatedAt",
     applied_statements AS "appliedStatements", merged_into AS "mergedInto"`,
);
const deleteAliases = statement<{ alias: string }>(
  'contacts.erase.aliases',
  'DELETE FROM contact_alias WHERE organization_id = $1 AND contact_id = $2 RETURNING alias',
);
const deleteOptOuts = statement<Pick<OptOut, 'channelId' | 'source'>>(
  'contacts.erase.opt-outs',
  `DELETE FROM opt_out WHERE organization_id = $1 AND contact_id = $2 RETURNING channel_id AS "channelId", source`,
);
const forgetRemovals = statement(
  'contacts.erase.removals',
  'DELETE FROM unconfirmed_removal WHERE organization_id = $1 AND contact_id = $2',
);
const keepNumbers = statement(
  'contacts.erase.numbers',
  `INSERT INTO erased_number (organization_id, contact_id, aliases, waits_for, sequence, merged_into)
   VALUES ($1, $2, $3::text[], $4::text[], $5, $6)
   ON CONFLICT DO NOTHING`,
);
/** By `erased_number_merged`. Those that were merged into an erased contact lead on: to where it was merged itself, or to what it had. */
const leadOn = statement(
  'contacts.erase.lead-on',
  `UPDATE erased_number n SET merged_into = gone.merged_into, person_aliases = gone.aliases FROM erased_number gone
   WHERE gone.organization_id = $1 AND gone.contact_id = $2 AND n.organization_id = $1 AND n.merged_into = $2`,
);

/** As long as repetitions come. */
const formerAliases = statement<{ alias: string }>(
  'contacts.erase.former-aliases',
  `SELECT alias FROM former_alias WHERE organization_id = $1 AND contact_id = $2
     AND until > $3::timestamptz - interval '35 days'`,
);
/** What the contact gave up is among it already: see `keepFormerAliases`. */
const isFormerSql = statement(
  'contacts.erase.is-former',
  'SELECT FROM former_alias WHERE organization_id = $1 AND contact_id = $2 AND alias = $3',
);

/**
 * Erases a contact, with those that were merged into it: rows, aliases and opt-outs are gone with the commit, and every other service
 * has the event. A contact that was merged into another is erased alone: its person goes on there.
 *
 * Its opt-outs go on holding for its numbers by their keyed hashes, and not for numbers that it had given up. So do the times of what
 * was stated of it: a repetition changes nothing. The numbers themselves stay, former ones too, for the services to look for, until
 * each has confirmed.
 */
@Injectable()
export class EraseContact {
  constructor(
    private readonly database: Database,
    private readonly heldOptOuts: HeldOptOutRepository,
    private readonly unconfirmed: UnconfirmedErasureRepository,
    private readonly relay: Relay,
    private readonly signal: EraseSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param by absent: the caller is of the release before
   * @returns what messaging has to confirm before the caller is answered, of a former call too that it did not confirm
   */
  async execute(organizationId: string, contactId: string, by?: AuditedActor): Promise<ErasureOutcome> {
    const erasedAt = new Date(this.clock.now());
    const key = [organizationId, contactId] as const;
    const erase = async (tx: Transaction): Promise<ErasureOutcome> => {
      const [contact] = await tx.query(deleteContact, key);
      // The delete has waited for a former try that was under way.
      if (!contact)
        return (await this.unconfirmed.find(tx, ...key)) ?? ((await findAct(tx, by)) ? 'repeated' : 'not-found');
      const sequence = contact.version + 1;
      const erasure = await this.remove(tx, { organizationId, contactId, erasedAt, sequence }, contact);
      this.unconfirmed.begin(tx, erasure);
      await this.takeMergedAlong(tx, { organizationId, contactId, erasedAt });
      tx.atCommit(leadOn, key);
      const act = { action: 'contact.erased', before: { id: contactId }, after: null } as const;
      appendAct(tx, by, { event: contactActed, organizationId, aggregateId: contactId, ...act });
      return erasure;
    };
    // What is held for numbers is locked by others in another order.
    const outcome = await withConflictRetries(() => this.database.transaction(erase, { tenant: organizationId }));
    this.relay.wake();
    this.signal.wake();
    return outcome;
  }

  /**
   * What was merged into the contact is of the same person, and nothing leads to it any more. No number leads to it anyway: there is
   * nothing for messaging to confirm.
   */
  private async takeMergedAlong(tx: Transaction, erased: Omit<AnnouncedErasure, 'sequence'>): Promise<void> {
    const { organizationId, contactId } = erased;
    for (const mergedId of await mergedIdsOf(tx, organizationId, contactId)) {
      const [merged] = await tx.query(deleteContact, [organizationId, mergedId]);
      if (merged) await this.remove(tx, { ...erased, contactId: mergedId, sequence: merged.version + 1 }, merged);
      tx.atCommit(leadOn, [organizationId, mergedId]);
    }
  }

  /** Everything of a contact whose row is deleted. */
  private async remove(tx: Transaction, erased: AnnouncedErasure, contact: ErasedRow): Promise<UnconfirmedErasure> {
    const { organizationId, contactId, erasedAt, sequence } = erased;
    const key = [organizationId, contactId];
    const aliases = (await tx.query(deleteAliases, key)).map(({ alias }) => alias);
    const optOuts = await tx.query(deleteOptOuts, key);
    const takenGroups = contact.appliedStatements?.takenGroups ?? [];
    await this.heldOptOuts.hold(tx, { organizationId, aliases, optOuts, takenGroups, groupId: randomUUID() });
    await this.holdStatements(tx, erased, contact, aliases);
    await this.keepShownPhone(tx, organizationId, contactId, contact, aliases);
    await tx.query(keepNumbers, [...key, aliases, serviceNames, sequence, contact.mergedInto]);
    await noteErasures(tx, [erased]);
    tx.atCommit(forgetRemovals, key);
    appendEvents(tx, [erasedEvent(erased)]);
    return { organizationId, contactId, version: sequence, erasedAt };
  }

  /**
   * So that what is repeated, or comes late, changes nothing of the person and makes no contact: the times of what was stated and of the
   * erasure, for lately given up aliases that of the erasure alone, and the changes of number.
   */
  private async holdStatements(
    tx: Transaction,
    { organizationId, contactId, erasedAt }: AnnouncedErasure,
    { appliedStatements }: Pick<Contact, 'appliedStatements'>,
    aliases: readonly string[],
  ): Promise<void> {
    const former = await tx.query(formerAliases, [organizationId, contactId, erasedAt]);
    const marked = new Set(former.map(({ alias }) => alias));
    for (const move of appliedStatements?.moves ?? []) marked.add(moveMark(move));
    for (const alias of aliases) marked.delete(alias);
    const erased = { [ERASED]: erasedAt.toISOString() };
    const statedAt = { ...statedTimes(appliedStatements), ...erased };
    await this.heldOptOuts.holdStatements(tx, [
      ...aliases.map((alias) => ({ organizationId, alias, statedAt })),
      ...[...marked].map((alias) => ({ organizationId, alias, statedAt: erased })),
    ]);
  }

  /** A contact that was merged away long ago, or by an earlier release, shows a number that nothing names any more. */
  private async keepShownPhone(
    tx: Transaction,
    organizationId: string,
    contactId: string,
    { phone, updatedAt: until }: Pick<Contact, 'phone' | 'updatedAt'>,
    aliases: readonly string[],
  ): Promise<void> {
    if (phone === '' || aliases.includes(phone)) return;
    if ((await tx.query(isFormerSql, [organizationId, contactId, phone])).length > 0) return;
    const forms = phoneForms(phone).map((alias) => ({ organizationId, contactId, alias, until }));
    await keepFormerAliases(tx, forms);
  }
}
