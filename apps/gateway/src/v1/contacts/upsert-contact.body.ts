import type { ContactView } from '@switchboard/contracts/contacts/http';
import { IsOptional } from 'class-validator';
import { contactExample } from '../../description/examples.js';
import { About } from '../../http/input/field-description.js';
import { CodePoints, EmailAddress, WrittenPhone, OneLine } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /v1/contacts`. Source: docs/api-behaviour.md#contacts-upsert. */
export class UpsertContactBody {
  @About('E.164 preferred; every written form of one number is the same contact.')
  @WrittenPhone()
  phone = '';

  @About('The name. Left out, it stays as it is; null clears it.')
  @IsOptional()
  @OneLine()
  @CodePoints(1, 256)
  name: string | null | undefined;

  @About('The email address. Left out, it stays as it is; null clears it.')
  @IsOptional()
  @EmailAddress(320)
  email: string | null | undefined;
}

const bodies = {
  named: { phone: '+14155550123', name: 'Ada Lovelace', email: 'ada@example.org' },
  clearEmail: { phone: '+14155550123', email: null },
};

/** The body in the description. */
export const upsertContactBody: BodyDocs = {
  shape: UpsertContactBody,
  examples: bodies,
};

/** Answers about a contact that existed, for the description. */
export const changedContacts: Readonly<Record<keyof typeof bodies, ContactView>> = {
  named: contactExample,
  clearEmail: { ...contactExample, email: null },
};

/** Answers about a new contact, for the description: it has the fields of its request. */
export const newContacts: Readonly<Record<keyof typeof bodies, ContactView>> = {
  named: { ...contactExample, updatedAt: contactExample.createdAt },
  clearEmail: { ...contactExample, name: null, email: null, updatedAt: contactExample.createdAt },
};
