import { refusal, unknownObject, type ProviderAnswer } from '../provider-error/provider-error.entity.js';
import type { AccountRepository } from './account.repository.js';

/** Answers `GET /{version}/{waba-id}/phone_numbers`: the account's numbers, all on one page; without those whose token is refused. */
export function listPhoneNumbers(
  accounts: AccountRepository,
  { wabaId, token }: { readonly wabaId: string; readonly token: string | undefined },
): ProviderAnswer {
  if (token === undefined || !accounts.hasToken(token)) return refusal(190);
  const account = accounts.findByWabaId(wabaId);
  if (account?.token !== token) return unknownObject(wabaId);
  const lines = account.phoneNumbers.filter(({ id }) => !accounts.isRefused(id));
  if (lines.length === 0 && account.phoneNumbers.length > 0) return refusal(190);
  const data = lines.map(({ id, displayPhone, name }) => ({
    verified_name: name ?? displayPhone,
    display_phone_number: displayPhone,
    id,
  }));
  const cursors = { before: 'first', after: 'last' };
  return { status: 200, body: JSON.stringify({ data, paging: { cursors } }) };
}
