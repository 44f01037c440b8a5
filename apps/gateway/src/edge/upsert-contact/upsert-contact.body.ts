import type { UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import type { BodyDocs } from '../http/route-docs.js';
import { WrittenPhone } from '../input/phone.decorator.js';
import { readBody } from '../input/read-input.js';
import { CodePoints, Email } from '../input/text.decorator.js';

/** The body of `POST /v1/contacts`. Source: specification; decisions, "Contacts and opt-outs". */
class UpsertContactBody {
  @WrittenPhone({ about: 'E.164 preferred; every written form of one number is the same contact.' })
  phone = '';

  @CodePoints(1, 256, {
    about: 'The name. Left out, it stays as it is; null clears it.',
    optional: true,
    nullable: true,
  })
  name: string | null | undefined;

  @Email(320, {
    about: 'The email address. Left out, it stays as it is; null clears it.',
    optional: true,
    nullable: true,
  })
  email: string | null | undefined;
}

/** What the description says of the body. */
export const upsertContactBody: BodyDocs = {
  shape: UpsertContactBody,
  examples: {
    named: { phone: '+14155550123', name: 'Ada Lovelace', email: 'ada@example.org' },
    clearEmail: { phone: '+14155550123', email: null },
  },
};

/** A field left out stays out: it keeps what the contact has. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readUpsertContact(request: FastifyRequest): UpsertContactRequest {
  const { phone, name, email } = readBody(UpsertContactBody, request);
  return { phone, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}
