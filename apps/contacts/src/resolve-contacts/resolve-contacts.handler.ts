import { Controller } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { resolveContacts } from './resolve-contacts.js';
import { checkSightings } from './sightings.policy.js';

type Rpc = typeof resolveContactsRpc;

/** Answers `contacts.resolve-many`. */
@Controller()
export class ResolveContactsHandler {
  constructor(private readonly batch: ChangeContactsBatch) {}

  /** @throws VALIDATION_FAILED, CONTACT_NOT_FOUND, SERVICE_UNAVAILABLE */
  @RpcHandler(resolveContactsRpc)
  async resolve({ principal, request, budget }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    const sightings = checkSightings(request.sightings);
    const change = resolveContacts(principal.organizationId, sightings, activeTraceparent());
    const { contacts, also } = await this.batch.change(change, budget.signal);
    const without = contacts.flatMap((contact, index) => (contact ? [] : [index]));
    return {
      contacts: contacts.filter((contact) => contact !== null),
      ...(without.length > 0 && { without }),
      ...(also.length > 0 && { also }),
    };
  }
}
