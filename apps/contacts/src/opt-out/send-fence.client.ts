import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { applySuppressionsRpc, forgetContactRpc, type ContactToForget } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, type Budget } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import type { Contact } from '../contact/contact.entity.js';
import { factsOf } from '../contact/contact.policy.js';
import { MergedContactRepository } from '../contact/merged-contact.repository.js';

/** Makes messaging judge sends by a contact's opt-outs, or by its erasure, before the caller is answered. */
@Injectable()
export class SendFence {
  constructor(
    private readonly rpc: RpcClient,
    private readonly merged: MergedContactRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Returns when no send that begins later can pass an opt-out of these facts. To be called after their commit; messaging
   * learns them by the event in any case.
   *
   * @throws SERVICE_UNAVAILABLE when messaging does not confirm
   */
  async raise(principal: Principal, contact: Contact, budget: Budget): Promise<void> {
    // Their queued sends are judged by this contact, which messaging may not have heard yet.
    const merged = (await this.merged.findOf(contact)).map(factsOf);
    const request = { contact: factsOf(contact), ...(merged.length > 0 && { merged }) };
    try {
      await this.rpc.call(applySuppressionsRpc, principal, request, { budget, ownsRepeats: true });
    } catch (cause) {
      throw this.unconfirmed('opt-out.not-confirmed', cause, principal, contact.id);
    }
  }

  /**
   * Returns when no send that begins later is to the contact. To be called after the commit of its erasure.
   *
   * @throws SERVICE_UNAVAILABLE when messaging does not confirm
   */
  async forget(principal: Principal, contact: ContactToForget, budget: Budget): Promise<void> {
    try {
      await this.rpc.call(forgetContactRpc, principal, contact, { budget, ownsRepeats: true });
    } catch (cause) {
      throw this.unconfirmed('contact.erasure-not-confirmed', cause, principal, contact.contactId);
    }
  }

  private unconfirmed(event: string, cause: unknown, { organizationId }: Principal, contactId: string): AppError {
    this.log.error(event, cause, { organizationId, contactId });
    const message = 'The change is recorded, but the sending service has not confirmed it yet';
    return new AppError(serviceErrors.SERVICE_UNAVAILABLE, message, { retryAfterSeconds: 1, cause });
  }
}
