import { Injectable } from '@nestjs/common';
import type { ApiKeyView, NewApiKeyView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { Database } from '@switchboard/postgres';
import type { ApiKeys, ApiKeyInput } from '../api-keys.contract.js';
import type { SessionAct } from '../audit.contract.js';
import { createApiKey } from '../create-api-key/create-api-key.js';
import { listApiKeys } from '../list-api-keys/list-api-keys.js';
import { revokeApiKey } from '../revoke-api-key/revoke-api-key.js';

/** Keys in the service's own tables; see the contract for what is promised. */
@Injectable()
export class DatabaseApiKeys implements ApiKeys {
  constructor(private readonly database: Database) {}

  create(act: SessionAct, input: ApiKeyInput): Promise<NewApiKeyView> {
    return createApiKey(this.database, act, input);
  }

  list(
    organizationId: string,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<Page<ApiKeyView>> {
    return listApiKeys(this.database, organizationId, page);
  }

  revoke(act: SessionAct, keyId: string): Promise<ApiKeyView> {
    return revokeApiKey(this.database, act, keyId);
  }
}
