import type { UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import { WrittenPhone } from '../input/phone.decorator.js';
import { readBody } from '../input/read-input.js';
import { CodePoints, Email } from '../input/text.decorator.js';

/** The body of `POST /v1/contacts`. Source: specification; decisions, "Contacts and opt-outs". */
class UpsertContactBody {
  @WrittenPhone()
  phone = '';

  @CodePoints(1, 256, { optional: true, nullable: true })
  name: string | null | undefined;

  @Email(320, { optional: true, nullable: true })
  email: string | null | undefined;
}

/** A field left out stays out: it keeps what the contact has. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readUpsertContact(request: FastifyRequest): UpsertContactRequest {
  const { phone, name, email } = readBody(UpsertContactBody, request);
  return { phone, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}
