import { Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import type { ProjectedContact } from '../contact/contact.repository.js';
import type { SeenPerson } from './callback-plan.policy.js';

/** As many as `contacts.resolve-many` takes. */
const SIGHTINGS_MAX = 200;

/** A person whom an event names. */
export interface PersonOfEvent extends SeenPerson {
  readonly eventId: string;
}

/** Resolves the people of callbacks to contacts, which records their statements. */
@Injectable()
export class ResolveContactsClient {
  constructor(private readonly rpc: RpcClient) {}

  /**
   * One contact for each person, found, made or changed, in the order given, by event.
   *
   * A repetition changes nothing: a statement applies once.
   *
   * @throws RpcUnanswered, SERVICE_UNAVAILABLE
   */
  async resolve(people: readonly PersonOfEvent[]): Promise<ReadonlyMap<string, readonly ProjectedContact[]>> {
    const groups = Map.groupBy(people, ({ organizationId }) => organizationId);
    const resolved = await Promise.all([...groups].map(([organizationId, group]) => this.ask(organizationId, group)));
    const byEvent = Map.groupBy(resolved.flat(), ({ eventId }) => eventId);
    return byEvent;
  }

  private async ask(
    organizationId: string,
    group: readonly PersonOfEvent[],
  ): Promise<(ProjectedContact & { readonly eventId: string })[]> {
    const resolved: (ProjectedContact & { readonly eventId: string })[] = [];
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
