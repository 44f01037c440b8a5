import type { ContactView } from '@switchboard/contracts/contacts/http';
import type { UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import { contactExample } from '../../description/examples.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { WrittenPhone } from '../../http/input/phone.decorator.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints, Email } from '../../http/input/text.decorator.js';

/** The body of `POST /v1/contacts`. Source: docs/api-behaviour.md#contacts-upsert. */
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

const bodies = {
  named: { phone: '+14155550123', name: 'Ada Lovelace', email: 'ada@example.org' },
  clearEmail: { phone: '+14155550123', email: null },
};

/** What the description says of the body. */
export const upsertContactBody: BodyDocs = {
  shape: UpsertContactBody,
  examples: bodies,
};

/** What the description shows of a contact that was there. */
export const changedContacts: Readonly<Record<keyof typeof bodies, ContactView>> = {
  named: contactExample,
  clearEmail: { ...contactExample, email: null },
};

/** What the description shows of a new contact: of a name and an email, what was told of them. */
export const newContacts: Readonly<Record<keyof typeof bodies, ContactView>> = {
  named: { ...contactExample, updatedAt: contactExample.createdAt },
  clearEmail: { ...contactExample, name: null, email: null, updatedAt: contactExample.createdAt },
};

/** A field left out stays out: it keeps what the contact has. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readUpsertContact(request: FastifyRequest): UpsertContactRequest {
  const { phone, name, email } = readBody(UpsertContactBody, request);
  return { phone, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}
