import { Controller } from '@nestjs/common';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { forgetContactRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ForgetContact } from './forget-contact.js';

type Rpc = typeof forgetContactRpc;

/** Answers `rpc.messaging.forget-contact`. */
@Controller()
export class ForgetContactHandler {
  constructor(private readonly contacts: ForgetContact) {}

  /** @throws SERVICE_UNAVAILABLE */
  @RpcHandler(forgetContactRpc)
  async forget({ principal, request }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    await this.contacts.execute(principal.organizationId, request);
    return {};
  }
}
