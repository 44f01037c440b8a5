import { describeApis, type ApiDocuments } from './description/descriptions.js';
import type { Views } from './description/components.js';
import { mountedRoutes } from './routes.js';

export type { ApiDocuments } from './description/descriptions.js';

/**
 * The OpenAPI documents that the gateway serves; needs no server. For tests and tools.
 *
 * @param answers the shapes of answers, instead of those that were generated last
 */
export async function apiDescriptions(answers?: Readonly<Record<string, object>>): Promise<ApiDocuments> {
  return describeApis(await mountedRoutes(), '', answers as Views | undefined);
}
