import { Injectable } from '@nestjs/common';
import type { ApiKeyView, NewApiKeyView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { KeyedRequest } from '@switchboard/contracts/grammar/keyed-request';
import { Database, readKeysetPage } from '@switchboard/postgres';
import type { ApiKeyInput, ApiKeys } from '../api-keys.contract.js';
import type { SessionAct } from '../audit.contract.js';
import { createApiKey } from '../create-api-key/create-api-key.js';
import { requireAdministering } from '../member/role.policy.js';
import type { PageInput } from '../people.contract.js';
import { revokeApiKey } from '../revoke-api-key/revoke-api-key.js';
import { roleInSession } from '../session/hold-session.js';
import { apiKeyViewOf, countActiveApiKeys, listApiKeyRows } from './api-key.repository.js';

/** More active keys bring a hint in the answer, no refusal. Source: docs/api-behaviour.md#keys. */
const UNREMARKED_MAX = 50;
/** After every id of ours: they begin with c. */
const AFTER_ALL = 'd';

/** Keys in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseApiKeys implements ApiKeys {
  constructor(private readonly database: Database) {}

  create(
    act: SessionAct,
    input: ApiKeyInput,
    request: KeyedRequest | null,
  ): Promise<{ readonly apiKey: NewApiKeyView; readonly isRepetition: boolean }> {
    const { organizationId, sessionId } = act;
    const askedAtMs = performance.now();
    return this.database.transaction(
      async (tx) => {
        requireAdministering(await roleInSession(tx, sessionId, organizationId));
        const { key, secret, isRepetition } = await createApiKey(tx, act, input, request, askedAtMs);
        const [counted] = await tx.query(countActiveApiKeys, [organizationId, UNREMARKED_MAX + 1]);
        return { apiKey: { ...key, secret, hint: hintOf(counted?.active ?? 0) }, isRepetition };
      },
      { tenant: organizationId },
    );
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
