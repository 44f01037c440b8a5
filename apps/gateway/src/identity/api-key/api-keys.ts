import { Injectable } from '@nestjs/common';
import type { ApiKeyView, NewApiKeyView } from '@switchboard/contracts/gateway/http';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Page } from '@switchboard/contracts/grammar/page';
import { Database, readKeysetPage } from '@switchboard/postgres';
import type { ApiKeyInput, ApiKeys } from '../api-keys.contract.js';
import type { SessionAct } from '../audit.contract.js';
import { appendAudit } from '../audit/audit.repository.js';
import { requireAdministering } from '../member/role.policy.js';
import type { PageInput } from '../people.contract.js';
import { revokeApiKey } from '../revoke-api-key/revoke-api-key.js';
import { roleInSession } from '../session/hold-session.js';
import { mintKey } from './api-key.policy.js';
import { apiKeyViewOf, auditedApiKey, countActiveApiKeys, insertApiKey, listApiKeyRows } from './api-key.repository.js';

/** More active keys bring a hint in the answer, no refusal. Source: docs/api-behaviour.md#keys. */
const UNREMARKED_MAX = 50;
/** After every id of ours: they begin with c. */
const AFTER_ALL = 'd';

/** Keys in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseApiKeys implements ApiKeys {
  constructor(private readonly database: Database) {}

  create(act: SessionAct, { label, scopes }: ApiKeyInput): Promise<NewApiKeyView> {
    const { secret, prefix, hash } = mintKey();
    const id = newCuid();
    const { organizationId, actor, sessionId } = act;
    const creator = actor.type === 'user' ? [actor.id, actor.email] : [null, null];
    return this.database.transaction(async (tx) => {
      requireAdministering(await roleInSession(tx, sessionId, organizationId));
      const values = [id, organizationId, label, prefix, hash, scopes, ...creator, cuidTime(id)];
      const [row] = await tx.query(insertApiKey, values);
      if (!row) throw new Error('an insert returned no row');
      const [counted] = await tx.query(countActiveApiKeys, [organizationId, UNREMARKED_MAX + 1]);
      appendAudit(tx, { ...act, action: 'api-key.created', before: null, after: auditedApiKey(row) });
      return { ...apiKeyViewOf(row), secret, hint: hintOf(counted?.active ?? 0) };
    });
  }

  async list(organizationId: string, { limit, cursor }: PageInput): Promise<Page<ApiKeyView>> {
    return readKeysetPage(
      limit,
      (rowsMax) => this.database.query(listApiKeyRows, [organizationId, cursor ?? AFTER_ALL, rowsMax]),
      ({ id }) => id,
      apiKeyViewOf,
    );
  }

  revoke(act: SessionAct, keyId: string): Promise<ApiKeyView> {
    return revokeApiKey(this.database, act, keyId);
  }
}

function hintOf(active: number): string | null {
  if (active <= UNREMARKED_MAX) return null;
  return `There are more than ${UNREMARKED_MAX} active keys: revoke those that nothing uses any more`;
}
