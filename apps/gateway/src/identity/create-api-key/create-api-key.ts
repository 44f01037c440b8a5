import type { NewApiKeyView } from '@switchboard/contracts/gateway/http';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { mintKey } from '../api-key/api-key.policy.js';
import { apiKeyViewOf, auditedApiKey, countActiveApiKeys, insertApiKey } from '../api-key/api-key.repository.js';
import type { ApiKeyInput } from '../api-keys.contract.js';
import type { SessionAct } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { requireAdministering } from '../membership/role.policy.js';
import { roleInSession } from '../session/hold-session.js';

/** Beyond, the maker is told; nobody is refused. Source: issue "API keys". */
const ACTIVE_UNREMARKED_MAX = 50;

/** See `ApiKeys.create`. */
export function createApiKey(
  database: Pick<Database, 'transaction'>,
  act: SessionAct,
  { label, scopes }: ApiKeyInput,
): Promise<NewApiKeyView> {
  const { secret, prefix, hash } = mintKey();
  const id = newCuid();
  const { organizationId, actor, sessionId } = act;
  const creator = actor.type === 'user' ? [actor.id, actor.email] : [null, null];
  return database.transaction(async (tx) => {
    requireAdministering(await roleInSession(tx, sessionId, organizationId));
    const values = [id, organizationId, label, prefix, hash, scopes, ...creator, cuidTime(id)];
    const [row] = await tx.query(insertApiKey, values);
    if (!row) throw new Error('an insert returned no row');
    const [counted] = await tx.query(countActiveApiKeys, [organizationId, ACTIVE_UNREMARKED_MAX + 1]);
    appendAudit(tx, { ...act, action: 'api-key.created', before: null, after: auditedApiKey(row) });
    return { ...apiKeyViewOf(row), secret, hint: hintOf(counted?.active ?? 0) };
  });
}

function hintOf(active: number): string | null {
  if (active <= ACTIVE_UNREMARKED_MAX) return null;
  return `There are more than ${ACTIVE_UNREMARKED_MAX} active keys: revoke those that nothing uses any more`;
}
