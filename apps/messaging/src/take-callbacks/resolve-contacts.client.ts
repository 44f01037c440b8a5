import { Inject, Injectable } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { TenantsAtOnce } from '@switchboard/platform';
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
  /** By event, in the order given; behind those of the last event of a request, others of which is what was said. */
  readonly people: ReadonlyMap<string, readonly ProjectedContact[]>;
  /** Ids of events whose people cannot be resolved for now, while those of other organizations can. */
  readonly unresolved: ReadonlySet<string>;
}

type Resolved = ProjectedContact & { readonly eventId: string };

/** Resolves the people of callbacks to contacts, which records their statements. */
@Injectable()
export class ResolveContactsClient {
  private readonly organizations = new TenantsAtOnce<readonly Resolved[]>();

  constructor(@Inject(RpcClient) private readonly rpc: Pick<RpcClient, 'call'>) {}

  /**
   * One contact for each person, found, made or changed, but for a note of which contacts makes none. A repetition changes nothing: a statement applies once.
   *
   * An organization that contacts cannot serve holds up no other, however long contacts tries: its events wait, and it is left alone for
   * a growing pause. Nor does contacts, while it is away: the events wait.
   *
   * @throws RpcUnanswered, SERVICE_UNAVAILABLE when contacts answered for none
   */
  async resolve(people: readonly PersonOfEvent[]): Promise<ResolvedPeople> {
    const groups = Map.groupBy(people, ({ organizationId }) => organizationId);
    const asks = [...groups].map(([id, group]) => [id, () => this.ask(id, group)] as const);
    const { done, waiting } = await this.organizations.each(new Map(asks));
    return {
      people: Map.groupBy([...done.values()].flat(), ({ eventId }) => eventId),
      unresolved: new Set([...waiting].flatMap((id) => groups.get(id)?.map(({ eventId }) => eventId) ?? [])),
    };
  }

  private async ask(organizationId: string, group: readonly PersonOfEvent[]): Promise<Resolved[]> {
    const resolved: Resolved[] = [];
    // One request after the other keeps the order of what a person said.
    for (let from = 0; from < group.length; from += SIGHTINGS_MAX) {
      const part = group.slice(from, from + SIGHTINGS_MAX);
      const principal = systemPrincipal(organizationId, 'callbacks');
      const sightings = part.map(({ sighting }) => sighting);
      const { contacts, without = [], also = [] } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
      const met = part.filter((_, index) => !without.includes(index));
      met.forEach(({ eventId }, index) => {
        const contact = contacts[index];
        if (contact) resolved.push({ eventId, organizationId, contact });
      });
      // Stored with the first ones, before what was said is shown.
      const eventId = part.at(-1)?.eventId ?? '';
      resolved.push(...also.map((contact) => ({ eventId, organizationId, contact })));
    }
    return resolved;
  }
}
