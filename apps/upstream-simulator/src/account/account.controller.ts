import type { FastifyInstance } from 'fastify';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject } from '../json/json-value.js';
import { parseAccounts } from './account.entity.js';
import type { AccountRepository, Sender } from './account.repository.js';

/**
 * `GET` and `PUT /_sim/accounts`: `{ items: [{ wabaId, phoneNumbers: [{ id, displayPhone, name }] }] }`. PUT replaces all, and
 * takes a `token` with each, which is never shown; an account that is there keeps its own where it is left out.
 * `GET` and `PUT /_sim/tokens`: the provider refuses the token of one line, `{ phoneNumberId or displayPhone, refused }`.
 */
export function accountRoutes(app: FastifyInstance, accounts: AccountRepository): void {
  const shown = (): object => ({
    items: accounts.all.map(({ wabaId, phoneNumbers }) => ({ wabaId, phoneNumbers })),
  });
  app.get('/_sim/accounts', shown);
  app.put('/_sim/accounts', (request) => {
    const items = Array.isArray(request.body) ? request.body : asObject(request.body)?.['items'];
    accounts.replace(parseAccounts(items, 'items', accounts.all));
    return shown();
  });
  app.get('/_sim/tokens', () => ({ refused: accounts.refused }));
  app.put('/_sim/tokens', (request) => {
    const body = asObject(request.body) ?? {};
    const { refused } = body;
    if (typeof refused !== 'boolean') throw new ControlRefusal('refused', 'must be true or false');
    accounts.refuse(senderNamedIn(body, accounts).phone.id, refused);
    return { refused: accounts.refused };
  });
}

/**
 * The phone number that a control request names by `phoneNumberId` or `displayPhone`; the first of all when it names none.
 *
 * @throws ControlRefusal when there is no such number.
 */
export function senderNamedIn(body: Readonly<Record<string, unknown>>, accounts: AccountRepository): Sender {
  const { phoneNumberId, displayPhone } = body;
  if (phoneNumberId !== undefined) {
    const sender = accounts.findSender(String(phoneNumberId));
    if (!sender) throw new ControlRefusal('phoneNumberId', 'must be a phone number id of GET /_sim/accounts');
    return sender;
  }
  if (displayPhone !== undefined) {
    const sender = accounts.findByDisplayPhone(String(displayPhone));
    if (!sender) throw new ControlRefusal('displayPhone', 'must be a number of GET /_sim/accounts');
    return sender;
  }
  const first = accounts.firstSender();
  if (!first) throw new ControlRefusal('phoneNumberId', 'is required: there are no accounts');
  return first;
}
