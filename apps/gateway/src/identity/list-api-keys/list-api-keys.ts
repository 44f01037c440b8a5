import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { readKeysetPage, type Queryable } from '@switchboard/postgres';
import { apiKeyViewOf, listApiKeyRows } from '../api-key/api-key.repository.js';

/** After every id of ours: they begin with c. */
const AFTER_ALL = 'd';

/** See `ApiKeys.list`. */
export async function listApiKeys(
  database: Queryable,
  organizationId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<Page<ApiKeyView>> {
  return readKeysetPage(
    limit,
    (rowsMax) => database.query(listApiKeyRows, [organizationId, cursor ?? AFTER_ALL, rowsMax]),
    ({ id }) => id,
    apiKeyViewOf,
  );
}
