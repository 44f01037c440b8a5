import type { CreateOptOutRequest } from '@switchboard/contracts/contacts/rpc';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { WrittenPhone } from '../input/phone.decorator.js';
import { readBody } from '../input/read-input.js';
import { CodePoints, Cuid } from '../input/text.decorator.js';

/** The body of `POST /v1/opt-outs`. Source: decisions, "Contacts and opt-outs". */
class CreateOptOutBody {
  @Cuid({ optional: true, nullable: true })
  contactId: string | null | undefined;

  @WrittenPhone({ optional: true, nullable: true })
  phone: string | null | undefined;

  @Cuid({ optional: true, nullable: true })
  messagingChannelId: string | null | undefined;

  @CodePoints(1, 256, { optional: true, nullable: true })
  reason: string | null | undefined;
}

/** @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readCreateOptOut(request: FastifyRequest): CreateOptOutRequest {
  const {
    contactId = null,
    phone = null,
    messagingChannelId = null,
    reason = null,
  } = readBody(CreateOptOutBody, request);
  if ((contactId === null) === (phone === null)) {
    throw new AppError(gatewayErrors.VALIDATION_FAILED, 'exactly one of `contactId` and `phone` must be given');
  }
  return { contactId, phone, messagingChannelId, reason };
}
