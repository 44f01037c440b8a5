import { Inject, Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { isNotNow, LockedLines } from '@switchboard/outbox';
import type { ProjectedContact } from '../contact/contact.repository.js';
import type { SeenPerson } from './callback-plan.policy.js';

/** As many as `contacts.resolve-many` takes. */
const SIGHTINGS_MAX = 200;

/** A person whom an event names. */
export interface PersonOfEvent extends SeenPerson {
  readonly eventId: string;
}

/** What contacts answered of the people in events. */
export interface ResolvedPeople {
  /** By event, in the order given. */
  readonly people: ReadonlyMap<string, readonly ProjectedContact[]>;
  /** Ids of events whose people cannot be resolved for now, while those of other organizations can. */
  readonly unresolved: ReadonlySet<string>;
}

type Resolved = ProjectedContact & { readonly eventId: string };

/** Resolves the people of callbacks to contacts, which records their statements. */
@Injectable()
export class ResolveContactsClient {
  /** Organizations whose contacts could not be resolved while others' could: rows of theirs are locked. */
  private readonly locked = new LockedLines();

  constructor(@Inject(RpcClient) private readonly rpc: Pick<RpcClient, 'call'>) {}

  /**
   * One contact for each person, found, made or changed. A repetition changes nothing: a statement applies once.
   *
   * An organization that contacts cannot serve holds up no other: its events wait, and it is left alone for a growing pause.
   *
   * @throws RpcUnanswered, SERVICE_UNAVAILABLE when contacts answered for none
   */
  async resolve(people: readonly PersonOfEvent[]): Promise<ResolvedPeople> {
    const groups = [...Map.groupBy(people, ({ organizationId }) => organizationId)];
    const { pausing = [], asked = [] } = Object.groupBy(groups, ([id]) =>
      this.locked.pauseMs(id) > 0 ? 'pausing' : 'asked',
    );
    const answers = await Promise.allSettled(asked.map(([id, group]) => this.ask(id, group)));
    const resolved = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = asked.filter((_group, index) => answers[index]?.status === 'rejected');
    const errors = answers.flatMap((answer): unknown[] => (answer.status === 'rejected' ? [answer.reason] : []));
    for (const [index, [id]] of asked.entries()) if (answers[index]?.status === 'fulfilled') this.locked.passed(id);
    const isAway = failed.length === asked.length && !failed.some(([id]) => this.locked.has(id));
    if (errors.length > 0 && (isAway || !errors.every(isNotNow)))
      throw errors.find((one) => !isNotNow(one)) ?? errors[0];
    for (const [id] of failed) this.locked.timedOut(id, true);
    return {
      people: Map.groupBy(resolved, ({ eventId }) => eventId),
      unresolved: new Set([...pausing, ...failed].flatMap(([, group]) => group.map(({ eventId }) => eventId))),
    };
  }

  private async ask(organizationId: string, group: readonly PersonOfEvent[]): Promise<Resolved[]> {
    const resolved: Resolved[] = [];
    // One request after the other keeps the order of what a person said.
    for (let from = 0; from < group.length; from += SIGHTINGS_MAX) {
      const part = group.slice(from, from + SIGHTINGS_MAX);
      const principal = systemPrincipal(organizationId, 'callbacks');
      const sightings = part.map(({ sighting }) => sighting);
      const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
      part.forEach(({ eventId }, index) => {
        const contact = contacts[index];
        if (contact) resolved.push({ eventId, organizationId, contact });
      });
    }
    return resolved;
  }
}
