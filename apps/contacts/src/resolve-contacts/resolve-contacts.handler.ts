import { Controller } from '@nestjs/common';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { activeTraceparent, RpcHandler, type RpcCall } from '@switchboard/nats';
import { ResolveContactsBatch } from './resolve-contacts.batch.js';
import { checkSightings } from './sightings.policy.js';

type Rpc = typeof resolveContactsRpc;

/** Answers `contacts.resolve-many`. */
@Controller()
export class ResolveContactsHandler {
  constructor(private readonly batch: ResolveContactsBatch) {}

  /** @throws VALIDATION_FAILED, SERVICE_UNAVAILABLE */
  @RpcHandler(resolveContactsRpc)
  async resolve({ principal, request, signal }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    const sightings = checkSightings(request.sightings);
    const item = { organizationId: principal.organizationId, sightings, traceparent: activeTraceparent() };
    return { contacts: await this.batch.resolve(item, signal) };
  }
}
