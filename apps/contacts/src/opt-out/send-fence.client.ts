import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { applySuppressionsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, type Budget } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import type { Contact } from '../contact/contact.entity.js';
import { factsOf } from '../contact/contact.policy.js';

/** Makes messaging judge sends by a contact's opt-outs before their caller is answered. */
@Injectable()
export class SendFence {
  constructor(
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Returns when no send that begins later can pass an opt-out of these facts. To be called after their commit; messaging
   * learns them by the event in any case.
   *
   * @throws SERVICE_UNAVAILABLE when messaging does not confirm
   */
  async raise(principal: Principal, contact: Contact, budget: Budget): Promise<void> {
    try {
      await this.rpc.call(applySuppressionsRpc, principal, { contact: factsOf(contact) }, { budget });
    } catch (cause) {
      this.log.error('opt-out.not-confirmed', cause, {
        organizationId: principal.organizationId,
        contactId: contact.id,
      });
      const message = 'The change is recorded, but the sending service has not confirmed it yet';
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, message, { retryAfterSeconds: 1, cause });
    }
  }
}
