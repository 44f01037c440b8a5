import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiBody } from './api.js';

/** An approved template that has variables, once the list of the provider is there. @throws when there is none within 90 s */
export async function templateWithVariables(api: Api): Promise<ApiBody> {
  return eventually(
    async () => {
      const { body } = await api.get('/v1/templates?status=APPROVED&limit=100');
      return body?.items?.find(({ variables }) => Array.isArray(variables) && variables.length > 0);
    },
    { deadlineMs: 90_000 },
  );
}
