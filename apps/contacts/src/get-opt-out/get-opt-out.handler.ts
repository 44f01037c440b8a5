import { Controller } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { getOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { optOutView } from '../contact/contact-events.policy.js';
import { OptOutRepository } from '../opt-out/opt-out.repository.js';

/** Answers `contacts.get-opt-out`. */
@Controller()
export class GetOptOutHandler {
  constructor(private readonly optOuts: OptOutRepository) {}

  /** @throws OPT_OUT_NOT_FOUND */
  @RpcHandler(getOptOutRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<OptOutView> {
    const optOut = await this.optOuts.get(principal.organizationId, request.id);
    if (!optOut) throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
    return optOutView(optOut, { id: optOut.contactId, phone: optOut.phone });
  }
}
