import type { Database } from '@switchboard/postgres';
import type { ApiKeys } from './api-keys.contract.js';
import { createApiKey } from './create-api-key/create-api-key.js';
import { listApiKeys } from './list-api-keys/list-api-keys.js';
import { revokeApiKey } from './revoke-api-key/revoke-api-key.js';

/** Keys over the service's own tables. */
export function databaseApiKeys(database: Database): ApiKeys {
  return {
    create: (act, wish) => createApiKey(database, act, wish),
    list: (organizationId, page) => listApiKeys(database, organizationId, page),
    revoke: (act, keyId) => revokeApiKey(database, act, keyId),
  };
}
