import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Transaction } from '@switchboard/postgres';
import { mintKey } from '../api-key/api-key.policy.js';
import { apiKeyViewOf, auditedApiKey, insertApiKey } from '../api-key/api-key.repository.js';
import type { ApiKeyInput } from '../api-keys.contract.js';
import type { Act } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';

/** Makes a key in the transaction of its audit entry. The secret is in this answer and nowhere else. */
export async function createApiKey(
  tx: Transaction,
  act: Act,
  { label, scopes }: ApiKeyInput,
): Promise<{ readonly key: ApiKeyView; readonly secret: string }> {
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
  ]);
  if (!row) throw new Error('an insert returned no row');
  appendAudit(tx, { ...act, action: 'api-key.created', before: null, after: auditedApiKey(row) });
  return { key: apiKeyViewOf(row), secret };
}
