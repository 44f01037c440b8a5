import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText } from '../json/json-value.js';

/** A phone number that can send: the provider's id, the number as the provider displays it, and its verified name. */
export interface PhoneNumber {
  readonly id: string;
  readonly displayPhone: string;
  readonly name: string | null;
}

/** A WhatsApp Business Account (WABA) with its bearer token. Several accounts may have the same token. */
export interface Account {
  readonly token: string;
  readonly wabaId: string;
  readonly phoneNumbers: readonly PhoneNumber[];
}

/** What exists when nothing is configured; the identifiers are those of the provider's published examples. */
export const DEFAULT_ACCOUNTS: readonly Account[] = [
  {
    token: 'simulator-token',
    wabaId: '102290129340398',
    phoneNumbers: [{ id: '106540352242922', displayPhone: '15550783881', name: 'Simulator' }],
  },
];

/**
 * The accounts in `value`, an array of `{ token, wabaId, phoneNumbers: [{ id, displayPhone, name? }] }`.
 *
 * @param field path of the value, for the refusal.
 * @param known accounts that keep their token where it is left out, for it is never shown.
 * @throws ControlRefusal naming the first field that is wrong; a phone number id that occurs twice is.
 */
export function parseAccounts(value: unknown, field: string, known: readonly Account[] = []): readonly Account[] {
  if (!Array.isArray(value)) throw new ControlRefusal(field, 'must be an array of accounts');
  const accounts = value.map((item, at) => parseAccount(item, `${field}[${at}]`, known));
  const seen = new Set<string>();
  for (const { id } of accounts.flatMap((account) => account.phoneNumbers)) {
    if (seen.has(id)) throw new ControlRefusal(field, `must not have the phone number id ${id} twice`);
    seen.add(id);
  }
  return accounts;
}

function parseAccount(value: unknown, field: string, known: readonly Account[]): Account {
  const account = asObject(value);
  if (!account) throw new ControlRefusal(field, 'must be an object');
  if (!Array.isArray(account['phoneNumbers'])) throw new ControlRefusal(`${field}.phoneNumbers`, 'must be an array');
  const wabaId = required(account['wabaId'], `${field}.wabaId`);
  const kept = known.find((one) => one.wabaId === wabaId)?.token;
  return {
    token: required(account['token'] ?? kept, `${field}.token`),
    wabaId,
    phoneNumbers: account['phoneNumbers'].map((item: unknown, at) => {
      const phone = asObject(item);
      const path = `${field}.phoneNumbers[${at}]`;
      if (!phone) throw new ControlRefusal(path, 'must be an object');
      return {
        id: required(phone['id'], `${path}.id`),
        displayPhone: required(phone['displayPhone'], `${path}.displayPhone`),
        name: asText(phone['name']) ?? null,
      };
    }),
  };
}

function required(value: unknown, field: string): string {
  const text = asText(value);
  if (text === undefined) throw new ControlRefusal(field, 'must be a non-empty string');
  return text;
}
