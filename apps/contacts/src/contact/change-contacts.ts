import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { appendEvents, Relay } from '@switchboard/outbox';
import { Database, type Queryable, type Transaction, type TransactionOptions } from '@switchboard/postgres';
import { CLOCK, erasedAmong, type Clock } from '@switchboard/platform';
import { HeldOptOutRepository, type AliasKey, type HeldForAlias } from '../held-opt-out/held-opt-out.repository.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { eventsOf, needsChannels } from './contact-events.policy.js';
import type { Contact } from './contact.entity.js';
import { ContactLedger } from './contact-ledger.js';
import { ContactRepository, storeContacts, type ContactQuestion } from './contact.repository.js';
import { findFormerHolders, keepFormerAliases, type FormerQuestion } from './former-alias.repository.js';
import type { FormerHolder } from './former-holder.policy.js';
import type { Holding } from './held-ledger.js';

/** One call's change of contacts. */
export interface ContactChange<Result> extends ContactQuestion, FormerQuestion {
  /** The trace of the call, for the events that it causes. */
  readonly traceparent: string | null;
  /**
   * Decides the change of the requested contacts. Pure but for the ledger; may run again after a lost race.
   *
   * @throws AppError before it changes anything
   */
  readonly decide: (ledger: ContactLedger) => Result;
}

/** The outcome of one change. `provesNothing`: nothing of its organization was stored, so that no lock was taken. */
export type ChangeOutcome = { readonly ok: unknown; readonly provesNothing?: boolean } | { readonly error: unknown };

/** Each lost race means that another batch has committed: so many in a row need as many replicas on the same contacts. */
const RACES_MAX = 20;

/** Makes the changes of a batch of calls, with their events, in one transaction. */
@Injectable()
export class ChangeContacts {
  constructor(
    private readonly database: Database,
    private readonly contacts: ContactRepository,
    private readonly channels: ChannelRepository,
    private readonly heldOptOuts: HeldOptOutRepository,
    private readonly relay: Relay,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Leaves the same rows and events, and answers the same, as the changes one after the other. What changes nothing
   * costs one statement and no transaction.
   *
   * Another replica may change the same contacts at the same time: whoever finds a contact in another version than it
   * was read in, or loses the key of an alias, rolls back, reads again and decides again.
   *
   * @throws OutcomeUnknown; asking again is always safe
   */
  async run(
    changes: readonly ContactChange<unknown>[],
    options: Pick<TransactionOptions, 'lockWaitMs'> = {},
  ): Promise<ChangeOutcome[]> {
    let held: readonly HeldForAlias[] = [];
    let erased: ReadonlySet<string> = new Set();
    for (let race = 0; race < RACES_MAX; race++) {
      const at = new Date(this.clock.now());
      const ledgers = await this.read(changes, at, held, erased);
      const outcomes = changes.map((change) => outcomeOf(change, ledgers.get(change.organizationId)));
      const [found, refused] = await Promise.all([this.heldFor(ledgers), this.erasedOf(ledgers)]);
      // Decided anew with what is held for a number that a contact gains, which is rare.
      const isNews = !isSame(found, held, aliasesOf(ledgers)) || refused.size > 0;
      held = found;
      erased = new Set([...erased, ...refused]);
      if (!isNews && (await this.store(ledgers, held, at, options))) {
        return outcomes.map((outcome, index) => {
          const ledger = ledgers.get(changes[index]?.organizationId ?? '');
          return 'ok' in outcome && ledger && isUnchanged(ledger) ? { ...outcome, provesNothing: true } : outcome;
        });
      }
    }
    throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
  }

  private async heldFor(
    ledgers: ReadonlyMap<string, ContactLedger>,
    through: Queryable = this.database,
  ): Promise<HeldForAlias[]> {
    const aliases = aliasesOf(ledgers);
    return aliases.length > 0 ? this.heldOptOuts.find(aliases, through) : [];
  }

  /** A call that is asked again finds no contact where its own was erased meanwhile: the id stays that of the erased one. */
  private async erasedOf(ledgers: ReadonlyMap<string, ContactLedger>): Promise<ReadonlySet<string>> {
    const given = [...ledgers].flatMap(([organizationId, { givenIds }]) =>
      givenIds.map((contactId) => ({ organizationId, contactId })),
    );
    return erasedAmong(this.database, given);
  }

  private async read(
    changes: readonly ContactChange<unknown>[],
    at: Date,
    held: readonly HeldForAlias[],
    erased: ReadonlySet<string>,
  ): Promise<Map<string, ContactLedger>> {
    const { found, former } = await this.readContacts(changes);
    const known = Map.groupBy(found, ({ organizationId }) => organizationId);
    const organizationIds = new Set(changes.map(({ organizationId }) => organizationId));
    const ledgerOf = (id: string): ContactLedger => {
      const own = held.filter(({ organizationId }) => organizationId === id).map((one) => [one.alias, one] as const);
      return new ContactLedger(id, known.get(id) ?? [], at, newCuid, new Map(own), erased, former.get(id));
    };
    return new Map([...organizationIds].map((id) => [id, ledgerOf(id)]));
  }

  /** The contacts that are asked for, and those that had a number which is asked about, until when. */
  private async readContacts(changes: readonly ContactChange<unknown>[]): Promise<{
    readonly found: readonly Contact[];
    readonly former: ReadonlyMap<string, readonly FormerHolder[]>;
  }> {
    let asked: readonly ContactQuestion[] = changes;
    for (;;) {
      const found = await this.contacts.find(asked);
      // Behind the contacts: who moves in between is among them, in a version that is not written over.
      const former = await findFormerHolders(this.database, changes);
      const read = new Set([...asked.flatMap(({ contactIds }) => contactIds), ...found.map(({ id }) => id)]);
      const unread = [...former].flatMap(([organizationId, holders]) => {
        const contactIds = holders.map(({ contactId }) => contactId).filter((id) => !read.has(id));
        return contactIds.length > 0 ? [{ organizationId, aliases: [], contactIds }] : [];
      });
      if (unread.length === 0) return { found, former };
      // All of them at one moment, in which no alias has two contacts.
      asked = [...asked, ...unread];
    }
  }

  /** False when a race was lost; nothing was stored then. */
  private async store(
    byOrganization: ReadonlyMap<string, ContactLedger>,
    held: readonly HeldForAlias[],
    at: Date,
    options: Pick<TransactionOptions, 'lockWaitMs'>,
  ): Promise<boolean> {
    const ledgers = [...byOrganization.values()];
    const steps = ledgers.flatMap((ledger) => ledger.steps);
    const holdings = ledgers.flatMap((ledger) => ledger.held.heldAnew());
    if (ledgers.every(isUnchanged)) return true;
    const covering = new Set(steps.filter(needsChannels).map(({ after }) => after.organizationId));
    const channelIds = await this.channels.idsOf([...covering]);
    try {
      await this.database.transaction(
        async (tx) => {
          const writes = ledgers.flatMap((ledger) => ledger.writes());
          if (!(await storeContacts(tx, writes, holdings))) throw new RaceLost();
          // What is held for an alias changes under its key alone, which this transaction has by now.
          if (!isSame(await this.heldFor(byOrganization, tx), held, aliasesOf(byOrganization))) throw new RaceLost();
          const givenUp = ledgers.flatMap((ledger) => ledger.givenUp);
          await keepFormerAliases(tx, givenUp);
          const taken = held.filter(({ organizationId, alias }) =>
            byOrganization.get(organizationId)?.held.taken.has(alias),
          );
          if (!(await this.heldOptOuts.release(tx, taken))) throw new RaceLost();
          await this.heldOptOuts.holdStatements(
            tx,
            ledgers.flatMap((ledger) => ledger.left()),
          );
          await this.holdAnew(tx, holdings);
          const events = steps.flatMap((step) => eventsOf(step, channelIds.get(step.after.organizationId) ?? [], at));
          appendEvents(tx, events);
        },
        { hasShortLocks: true, ...options },
      );
      this.relay.wake();
      return true;
    } catch (error) {
      if (error instanceof RaceLost) return false;
      throw error;
    }
  }

  private async holdAnew(tx: Transaction, holdings: readonly Holding[]): Promise<void> {
    for (const holding of holdings) await this.heldOptOuts.hold(tx, holding);
    const stated = holdings.flatMap(({ organizationId, aliases, statedAt }) =>
      aliases.map((alias) => ({ organizationId, alias, statedAt })),
    );
    await this.heldOptOuts.holdStatements(tx, stated);
  }
}

/** Of which it matters what is held for them. */
function aliasesOf(ledgers: ReadonlyMap<string, ContactLedger>): AliasKey[] {
  return [...ledgers].flatMap(([organizationId, ledger]) =>
    ledger.heldAliases().map((alias) => ({ organizationId, alias })),
  );
}

/** Whether changes that were decided with `held` were decided with what is found for the aliases: an opt-out that is held no more is lifted. */
function isSame(found: readonly HeldForAlias[], held: readonly HeldForAlias[], aliases: readonly AliasKey[]): boolean {
  const asked = new Set(aliases.map(({ organizationId, alias }) => `${organizationId} ${alias}`));
  const known = held.filter(({ organizationId, alias }) => asked.has(`${organizationId} ${alias}`));
  const spelt = new Set(known.map((one) => JSON.stringify(one)));
  return found.length === known.length && found.every((one) => spelt.has(JSON.stringify(one)));
}

function isUnchanged(ledger: ContactLedger): boolean {
  return ledger.steps.length === 0 && ledger.held.heldAnew().length === 0;
}

function outcomeOf(change: ContactChange<unknown>, ledger: ContactLedger | undefined): ChangeOutcome {
  if (!ledger) return { error: new Error('an organization was not read') };
  ledger.begin(change.traceparent);
  try {
    return { ok: change.decide(ledger) };
  } catch (error) {
    return { error };
  }
}

/** Rolls the transaction back; never leaves this file. */
class RaceLost extends Error {}
