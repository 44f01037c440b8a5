import { randomUUID } from 'node:crypto';
import {
  appliedToBoth,
  appliedWith,
  ERASED,
  NOTHING_APPLIED,
  statedTimes,
  withoutErasure,
} from './applied-statements.policy.js';
import type { Consent, HeldConsent, StatedTimes } from './contact.entity.js';
import { isLiftedByStart, optOutsOfBoth } from './opt-outs-of-both.policy.js';

/** Consent that is held anew under aliases of no contact. */
export interface Holding extends HeldConsent {
  readonly organizationId: string;
  readonly aliases: readonly string[];
  readonly groupId: string;
  /** Of what it takes the place of, under other aliases too. */
  readonly takenGroups: readonly string[];
}

/**
 * What is held of an organization for aliases of no contact, while changes are folded: part of its `ContactLedger`. Contacts take it, and
 * what is said of a number without a contact may be held in its place.
 */
export class HeldLedger {
  /** Aliases of which a contact has by now what was held for them, or for which it is held anew. */
  readonly taken = new Set<string>();
  /** Aliases, and marks in their place, of which it was asked what is held. */
  readonly asked = new Set<string>();
  private readonly held: Map<string, HeldConsent>;
  private readonly holdings: Holding[] = [];
  /** By alias, the last of the holdings, until a contact takes it. */
  private readonly holdingOf = new Map<string, Holding>();

  constructor(
    private readonly organizationId: string,
    held: ReadonlyMap<string, HeldConsent>,
    private readonly newId: () => string,
  ) {
    this.held = new Map(held);
  }

  /** What was stated of an alias that a contact gave up is held from now on. */
  leave(alias: string, statedAt: StatedTimes): void {
    if (!this.holdingOf.has(alias)) this.held.set(alias, { optOuts: [], statedAt, groupId: null });
  }

  /** A contact with what is held for aliases that it gains. */
  take<Of extends Consent>(contact: Of, gained: readonly string[]): Of {
    const aliases = gained.filter((alias) => this.held.has(alias));
    if (aliases.length === 0) return contact;
    for (const alias of aliases) {
      this.taken.add(alias);
      this.holdingOf.delete(alias);
    }
    const taken = this.withHeld(contact, aliases);
    return { ...taken, appliedStatements: withoutErasure(taken.appliedStatements) };
  }

  /** The consent that a contact with these aliases, which none has now, would begin with. */
  consentFor(aliases: readonly string[]): Consent {
    for (const alias of aliases) this.asked.add(alias);
    return this.withHeld({ appliedStatements: null, optOuts: [] }, aliases);
  }

  /** Whether the contact of one of these aliases was erased lately, and none has it since. */
  isErased(aliases: readonly string[]): boolean {
    for (const alias of aliases) this.asked.add(alias);
    return aliases.some((alias) => this.held.get(alias)?.statedAt[ERASED] !== undefined);
  }

  /** Holds consent under aliases of no contact, in place of what is held for them: as if their contact had it, and were erased. */
  hold(aliases: readonly string[], { appliedStatements, optOuts }: Consent): void {
    const { organizationId } = this;
    const groupId = randomUUID();
    // Without an opt-out there is no row of the group.
    const held = { optOuts, statedAt: statedTimes(appliedStatements), groupId: optOuts.length > 0 ? groupId : null };
    const takenGroups = appliedStatements?.takenGroups ?? [];
    const holding = { ...held, organizationId, aliases, takenGroups, groupId };
    for (const [alias, other] of this.held) {
      const isTaken = other.groupId !== null && takenGroups.includes(other.groupId);
      if (isTaken) this.held.set(alias, { ...other, optOuts, groupId: held.groupId });
    }
    for (const alias of aliases) {
      this.held.set(alias, held);
      this.taken.add(alias);
      this.holdingOf.set(alias, holding);
    }
    this.holdings.push(holding);
  }

  /** Holds a mark as an erasure does: see `isErased`. @param at ISO 8601; it is held for so long after that moment */
  mark(alias: string, at: string): void {
    const preferences = { [ERASED]: { at, ids: [] } };
    this.hold([alias], { optOuts: [], appliedStatements: { ...NOTHING_APPLIED, preferences } });
  }

  /** What is to be held anew, in order, under the aliases that no contact has taken since, and for which nothing later is held. */
  heldAnew(): readonly Holding[] {
    return this.holdings.map((holding) => {
      return { ...holding, aliases: holding.aliases.filter((alias) => this.holdingOf.get(alias) === holding) };
    });
  }

  /** What a contact took by another alias may have been removed since. */
  private withHeld<Of extends Consent>(contact: Of, aliases: readonly string[]): Of {
    const held = aliases.flatMap((alias) => this.held.get(alias) ?? []);
    const taken = contact.appliedStatements?.takenGroups ?? [];
    const news = held.filter(({ groupId }) => groupId === null || !taken.includes(groupId));
    const all = news.flatMap(({ optOuts }) => optOuts);
    // Of a channel the last one counts: one that no START removes, where there is one.
    const [lifted, lasting] = [true, false].map((is) => all.filter(({ source }) => isLiftedByStart(source) === is));
    const byChannel = new Map([...(lifted ?? []), ...(lasting ?? [])].map((one) => [one.channelId, one]));
    // As they are read from the database, so that ids are drawn in one order.
    const inOrder = [...byChannel.values()].sort((one, other) => (one.channelId < other.channelId ? -1 : 1));
    const optOuts = inOrder.map(({ channelId, source }) => ({
      channelId,
      source,
      id: '',
      reason: null,
    }));
    const appliedStatements = held.map(appliedWith).reduce(appliedToBoth, contact.appliedStatements);
    return { ...contact, appliedStatements, optOuts: optOutsOfBoth(contact, { optOuts }, this.newId) };
  }
}
