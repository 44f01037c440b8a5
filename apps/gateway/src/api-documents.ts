import { describeApis, type ApiDocuments } from './reference/api-documents.js';
import type { Views } from './reference/api-definitions.js';
import { mountedRoutes } from './routes.js';

export type { ApiDocuments } from './reference/api-documents.js';

/**
 * The OpenAPI documents that the gateway serves; needs no server. For tests and tools.
 *
 * @param answers the shapes of answers, instead of those that were generated last
 */
export async function apiDocuments(answers?: Readonly<Record<string, object>>): Promise<ApiDocuments> {
  return describeApis(await mountedRoutes(), '', answers as Views | undefined);
}
