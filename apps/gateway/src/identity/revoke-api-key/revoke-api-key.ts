import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Database } from '@switchboard/postgres';
import { apiKeyViewOf, auditedApiKey, findApiKey, revokeActiveApiKey } from '../api-key/api-key.repository.js';
import type { Act, SessionAct } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { requireAdministering } from '../member/role.policy.js';
import { roleInSession } from '../session/hold-session.js';

/**
 * See `ApiKeys.revoke`.
 *
 * Exact, because admission asks the database for every request: its statement begins after the request did, and whatever
 * begins after this commit sees it.
 *
 * @param act an operator's has no session that could end
 */
export function revokeApiKey(
  database: Pick<Database, 'transaction'>,
  act: Act | SessionAct,
  keyId: string,
): Promise<ApiKeyView> {
  return database.transaction(
    async (tx) => {
      if ('sessionId' in act) requireAdministering(await roleInSession(tx, act.sessionId, act.organizationId));
      const key = [act.organizationId, keyId];
      const [revoked] = await tx.query(revokeActiveApiKey, key);
      if (!revoked) {
        const [standing] = await tx.query(findApiKey, key);
        if (!standing) throw new AppError(gatewayErrors.API_KEY_NOT_FOUND);
        return apiKeyViewOf(standing);
      }
      const before = auditedApiKey({ ...revoked, revokedAt: null });
      appendAudit(tx, { ...act, action: 'api-key.revoked', before, after: auditedApiKey(revoked) });
      return apiKeyViewOf(revoked);
    },
    { tenant: act.organizationId },
  );
}
