import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { KeyedRequest } from '@switchboard/contracts/grammar/keyed-request';
import type { Transaction } from '@switchboard/postgres';
import { mintKey } from '../api-key/api-key.policy.js';
import {
  apiKeyViewOf,
  auditedApiKey,
  insertApiKey,
  lockApiKeyOfRequest,
  renewApiKeySecret,
} from '../api-key/api-key.repository.js';
import type { ApiKeyInput } from '../api-keys.contract.js';
import type { Act } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';

/** A key with its secret, which is in this answer and nowhere else. */
export interface CreatedApiKey {
  readonly key: ApiKeyView;
  readonly secret: string;
  /** An earlier request with the same `Idempotency-Key` made the key; the secret is a new one. */
  readonly isRepetition: boolean;
}

/**
 * Makes a key in the transaction of its audit entry.
 *
 * @param request its `Idempotency-Key`, if it has one: repeated, it makes no second key
 * @param askedAtMs when the request began, monotonic
 * @throws AppError CONFLICT as `ApiKeys.create`
 */
export async function createApiKey(
  tx: Transaction,
  act: Act,
  { label, scopes }: ApiKeyInput,
  request: KeyedRequest | null = null,
  askedAtMs = performance.now(),
): Promise<CreatedApiKey> {
  const { secret, prefix, hash } = mintKey();
  const id = newCuid();
  const { organizationId, actor } = act;
  const creator = actor.type === 'user' ? [actor.id, actor.email] : [null, null];
  const [row] = await tx.query(insertApiKey, [
    id,
    organizationId,
    label,
    prefix,
    hash,
    scopes,
    ...creator,
    cuidTime(id),
    request?.keySha256 ?? null,
    request?.bodySha256 ?? null,
  ]);
  if (!row && request) return renewSecret(tx, act, request, askedAtMs);
  if (!row) throw new Error('an insert returned no row');
  appendAudit(tx, { ...act, action: 'api-key.created', before: null, after: auditedApiKey(row) });
  return { key: apiKeyViewOf(row), secret, isRepetition: false };
}

/**
 * Only hashes are stored: what a lost answer held cannot be shown again, and is replaced while nothing uses it. Not for a request that is
 * older than the secret: the caller may have that of the other request, which has overtaken this one or ran at the same time.
 */
async function renewSecret(
  tx: Transaction,
  act: Act,
  request: KeyedRequest,
  askedAtMs: number,
): Promise<CreatedApiKey> {
  const { organizationId } = act;
  const values = [organizationId, request.keySha256, request.bodySha256, performance.now() - askedAtMs];
  const [made] = await tx.query(lockApiKeyOfRequest, values);
  if (!made) throw new Error('an insert was refused for a row that is not there');
  const { id, isSameBody, isYounger } = made;
  if (!isSameBody) throw conflict(`made the API key ${id} with another body; use another one`);
  if (isYounger) {
    const what = `made the API key ${id} for another request while this one was under way; send it again for a new secret`;
    throw conflict(what, { retryAfterSeconds: 1 });
  }
  const { secret, prefix, hash } = mintKey();
  const [row] = await tx.query(renewApiKeySecret, [organizationId, id, prefix, hash]);
  if (!row) throw conflict(`made the API key ${id}, which is in use, revoked or older than 24 hours; use another one`);
  appendAudit(tx, { ...act, action: 'api-key.secret-renewed', before: null, after: auditedApiKey(row) });
  return { key: apiKeyViewOf(row), secret, isRepetition: true };
}

function conflict(what: string, details: { readonly retryAfterSeconds?: number } = {}): AppError {
  return new AppError(serviceErrors.CONFLICT, `This \`Idempotency-Key\` ${what}`, details);
}
