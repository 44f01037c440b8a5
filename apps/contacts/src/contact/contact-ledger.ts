import { aliasList } from './alias.policy.js';
import { appliedToBoth, statedTimes, withoutOwn } from './applied-statements.policy.js';
import { isBehindFloor, versionAfter } from './contact-version.policy.js';
import type { AppliedStatements, Contact, FormerAlias, HeldConsent, StatedTimes } from './contact.entity.js';
import type { FormerHolder } from './former-holder.policy.js';
import { HeldLedger } from './held-ledger.js';
import { optOutsOfBoth } from './opt-outs-of-both.policy.js';

/** One change of a contact, to be emitted. */
export interface ContactStep {
  /** Null: it came into being. */
  readonly before: Contact | null;
  readonly after: Contact;
  /** The trace of the call that caused it. */
  readonly traceparent: string | null;
  /** Ids of observed events that the change takes into account; with them a step may change nothing. */
  readonly observed: readonly string[];
  /** Of the event of an opt-out that the step removes; null: a new one. */
  readonly removalId: string | null;
  /** Of the event of the contact; null: a new one. */
  readonly changeId: string | null;
}

/** What a change hands on to its events and to its version. */
export type GivenToStep = Partial<Pick<ContactStep, 'observed' | 'removalId' | 'changeId'>> & {
  /** Whether other services must take the contact for the newest, whatever changed: see `versionAfter`. */
  readonly isConfirmed?: boolean;
  /** When the person's number changed by which it gives aliases up: ISO 8601, by the upstream. */
  readonly movedAt?: string;
};

/** A contact as it was read and as it shall be. */
export interface ContactWrite {
  readonly before: Contact | null;
  readonly after: Contact;
}

/** What a new contact is made of. */
export type NewContact = Pick<Contact, 'phone' | 'aliases' | 'messagingId' | 'name' | 'email'>;
/** What may change of a contact. */
export type ContactPatch = Partial<NewContact & Pick<Contact, 'optOuts' | 'appliedStatements' | 'mergedInto'>>;

/**
 * The contacts of one organization while changes are folded into them, one after the other: what the calls of a batch
 * would come to if each were made alone, in that order. Knows every contact behind what the batch speaks of, and nothing
 * else; touches no database.
 */
export class ContactLedger {
  /** What happened, in order. */
  readonly steps: ContactStep[] = [];
  /** What is held for aliases of no contact: it goes on holding for whoever has them next. */
  readonly held: HeldLedger;
  /** Aliases that contacts gave up, also such as they did not have when they were read. */
  readonly givenUp: FormerAlias[] = [];
  /** Ids that callers gave to new contacts. */
  readonly givenIds: string[] = [];
  /** Of the call whose change is being folded. */
  private traceparent: string | null = null;
  /** What was stated of the contacts that gave an alias up, by alias. */
  private readonly statedOf = new Map<string, AppliedStatements | null>();
  private readonly contacts = new Map<string, Contact>();
  private readonly owners = new Map<string, string>();
  /** By contact and alias, the last change of each. */
  private readonly formerHolders = new Map<string, FormerHolder>();
  private readonly read: ReadonlyMap<string, Contact>;

  constructor(
    private readonly organizationId: string,
    known: readonly Contact[],
    /** The moment of the batch. */
    private readonly at: Date,
    readonly newId: () => string,
    /** By alias. */
    held: ReadonlyMap<string, HeldConsent> = new Map(),
    /** Contacts that are erased: their ids are given to no other. */
    private readonly erased: ReadonlySet<string> = new Set(),
    formerHolders: readonly FormerHolder[] = [],
  ) {
    this.held = new HeldLedger(organizationId, held, newId);
    this.read = new Map(known.map((contact) => [contact.id, contact]));
    for (const contact of known) this.put(contact);
    for (const holder of formerHolders) this.remember(holder);
  }

  /** Begins the change of another call, which finds what the former ones leave as if they had been stored. */
  begin(traceparent: string | null): void {
    this.traceparent = traceparent;
    for (const { alias, statedAt } of this.left()) this.held.leave(alias, statedAt);
  }

  find(id: string): Contact | undefined {
    return this.contacts.get(id);
  }

  /** The contact that an id stands for: of a merged one, the one that goes on. */
  findGoingOn(id: string): Contact | undefined {
    let contact = this.find(id);
    while (contact && contact.mergedInto !== null) contact = this.find(contact.mergedInto);
    return contact;
  }

  /** The owner of the first of these aliases that has one. */
  findByAlias(aliases: readonly string[]): Contact | undefined {
    const owner = aliases.map((alias) => this.owners.get(alias)).find((id) => id !== undefined);
    return owner === undefined ? undefined : this.contacts.get(owner);
  }

  /** Who had one of the aliases until a number changed. */
  formerHoldersOf(aliases: readonly string[]): readonly FormerHolder[] {
    return [...this.formerHolders.values()].filter(({ alias }) => aliases.includes(alias));
  }

  /** Those of the aliases without an owner, or owned by the contact itself. */
  free(aliases: readonly string[], contact?: Contact): readonly string[] {
    return aliases.filter((alias) => [undefined, contact?.id].includes(this.owners.get(alias)));
  }

  /** @param givenId of the new contact; one of a contact that was made by it, and erased, is not taken */
  create(made: NewContact, givenId?: string): Contact {
    const { organizationId, at } = this;
    const isGiven = givenId !== undefined && !this.erased.has(givenId);
    if (isGiven) this.givenIds.push(givenId);
    const own = {
      organizationId,
      id: isGiven ? givenId : this.newId(),
      version: 1,
      versionFloor: 0,
      updatedAt: at,
      optOuts: [],
      appliedStatements: null,
      mergedInto: null,
    };
    const aliases = aliasList(made.aliases);
    const after = this.held.take<Contact>({ ...made, ...own, aliases }, aliases);
    this.put(after);
    this.recordStep(null, after);
    return after;
  }

  /**
   * Changes a contact and its version; aliases that it gives up are free from then on.
   *
   * @param given what the step's events are to hold
   */
  change(before: Contact, patch: ContactPatch, given: GivenToStep = {}): Contact {
    const aliases = aliasList(patch.aliases ?? before.aliases);
    const gained = aliases.filter((alias) => !before.aliases.includes(alias));
    const changed = this.held.take<Contact>({ ...before, ...patch, aliases, updatedAt: this.at }, gained);
    const after: Contact = { ...changed, version: versionAfter(before, changed, given.isConfirmed ?? false) };
    for (const alias of before.aliases.filter((one) => !aliases.includes(one))) {
      this.owners.delete(alias);
      const left = { contactId: before.id, alias, ...(given.movedAt !== undefined && { movedAt: given.movedAt }) };
      this.givenUp.push({ organizationId: this.organizationId, until: this.at, ...left });
      if (given.movedAt !== undefined) this.remember({ ...left, movedAt: given.movedAt });
      this.statedOf.set(alias, appliedToBoth(before.appliedStatements, this.statedOf.get(alias) ?? null));
    }
    this.put(after);
    this.recordStep(before, after, given);
    return after;
  }

  /**
   * Two contacts turned out to be one person: the one that goes on gets the opt-outs of the other, ids and all, with what was
   * stated there, and the other stays as a record that leads to it.
   *
   * @param patch of the one that goes on, its opt-outs apart
   * @param given of the step of the other
   */
  merge(
    former: Contact,
    goingOn: Contact,
    patch: Omit<ContactPatch, 'optOuts' | 'mergedInto'>,
    given: GivenToStep = {},
  ): Contact {
    const appliedStatements = withoutOwn(former.appliedStatements);
    this.change(former, { aliases: [], optOuts: [], mergedInto: goingOn.id, appliedStatements }, given);
    const applied = patch.appliedStatements ?? goingOn.appliedStatements;
    return this.change(goingOn, {
      ...patch,
      appliedStatements: appliedToBoth(applied, former.appliedStatements),
      optOuts: optOutsOfBoth(goingOn, former, ({ id }) => id),
    });
  }

  /**
   * The contact as other services take it for the newest, whatever they hold. After a restore it is changed once for that; else it
   * stays as it is.
   */
  confirm(contact: Contact): Contact {
    return isBehindFloor(contact) ? this.change(contact, {}, { isConfirmed: true }) : contact;
  }

  /** Records that events were taken into account without a change. */
  acknowledge(contact: Contact, observed: readonly string[]): void {
    this.recordStep(contact, contact, { observed });
  }

  /** Aliases that contacts gained, also such as they gave up again, and those of which it was asked what is held; each once. */
  heldAliases(): readonly string[] {
    const gained = this.steps.flatMap(({ before, after }) =>
      after.aliases.filter((alias) => !before?.aliases.includes(alias)),
    );
    return [...new Set([...gained, ...this.held.asked])];
  }

  /** What contacts gave up and none has by now, with what was stated of them. */
  left(): readonly { readonly organizationId: string; readonly alias: string; readonly statedAt: StatedTimes }[] {
    const { organizationId } = this;
    const free = [...this.statedOf].filter(([alias]) => !this.owners.has(alias));
    return free.map(([alias, applied]) => ({ organizationId, alias, statedAt: statedTimes(applied) }));
  }

  /** The contacts that are not as they were read, in the order of their ids. */
  writes(): ContactWrite[] {
    return [...this.contacts.values()]
      .map((after): ContactWrite => ({ before: this.read.get(after.id) ?? null, after: this.leadingToLast(after) }))
      .filter(({ before, after }) => before?.version !== after.version)
      .sort((one, other) => (one.after.id < other.after.id ? -1 : 1));
  }

  /** Stored is the end of a chain of merges, never its middle. */
  private leadingToLast(contact: Contact): Contact {
    if (contact.mergedInto === null) return contact;
    return { ...contact, mergedInto: this.findGoingOn(contact.id)?.id ?? contact.mergedInto };
  }

  private remember(holder: FormerHolder): void {
    const key = `${holder.contactId} ${holder.alias}`;
    const known = this.formerHolders.get(key);
    if (!known || known.movedAt < holder.movedAt) this.formerHolders.set(key, holder);
  }

  private put(contact: Contact): void {
    this.contacts.set(contact.id, contact);
    for (const alias of contact.aliases) {
      // Its key in the database would never be won.
      if (this.free([alias], contact).length === 0) throw new Error('an alias has two contacts');
      this.owners.set(alias, contact.id);
    }
  }

  private recordStep(
    before: Contact | null,
    after: Contact,
    { observed = [], removalId = null, changeId = null }: GivenToStep = {},
  ): void {
    this.steps.push({ before, after, traceparent: this.traceparent, observed, removalId, changeId });
  }
}
