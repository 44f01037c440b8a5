import { buildOpenApiDocument, type ApiRoute, type JsonObject } from '@switchboard/openapi';
import { views } from '../description/views.generated.js';
import { isAppApiPath } from '../http/app-headers.policy.js';
import { isApiPath } from '../http/route-declaration.js';
import type { MountedRoute } from '../http/route-table.js';
import { StaticContent } from '../http/static-content.js';
import { appDefinition, publicDefinition, type Views } from './api-definitions.js';
import { describedRoute } from './described-routes.js';

/** The documents of the gateway's APIs. */
export interface ApiDocuments {
  /** `GET /v1/openapi.json`. */
  readonly publicApi: JsonObject;
  /** `GET /app/openapi.json`. */
  readonly appApi: JsonObject;
}

/** Describes every API from the routes as they are mounted. @throws Error when a route is not described well: a bug */
export function describeApis(routes: readonly MountedRoute[], baseUrl: string, answers: Views = views): ApiDocuments {
  const of = (isOf: (path: string) => boolean): ApiRoute[] =>
    routes.filter(({ method, path }) => method !== 'HEAD' && isOf(path)).map(describedRoute);
  return {
    publicApi: buildOpenApiDocument(publicDefinition(answers), of(isApiPath), baseUrl),
    appApi: buildOpenApiDocument(appDefinition(answers), of(isAppApiPath), baseUrl),
  };
}

/** The documents as they are served. */
export class ServedDocuments {
  private served: Readonly<Record<keyof ApiDocuments, StaticContent>> | undefined;

  /** @param baseUrl the canonical base; empty when there is none */
  constructor(private readonly baseUrl: string) {}

  /** Must be called once, when all routes are mounted. @throws Error as `describeApis` */
  prepare(routes: readonly MountedRoute[]): void {
    const { publicApi, appApi } = describeApis(routes, this.baseUrl);
    this.served = { publicApi: content(publicApi), appApi: content(appApi) };
  }

  /** @throws Error before `prepare`: a bug */
  of(api: keyof ApiDocuments): StaticContent {
    if (!this.served) throw new Error('the routes are not mounted yet');
    return this.served[api];
  }
}

/** Asked for again at each use, and answered 304 as long as it is the same. */
function content(document: JsonObject): StaticContent {
  const type = 'application/json; charset=utf-8';
  return new StaticContent(JSON.stringify(document), { 'content-type': type, 'cache-control': 'no-cache' });
}
