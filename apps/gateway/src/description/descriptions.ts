import { isAppApiPath } from '../http/app-headers.policy.js';
import { isApiPath } from '../http/route-declaration.js';
import type { MountedRoute } from '../http/route-table.js';
import { StaticContent } from '../http/static-content.js';
import { describeApi } from './api-document.js';
import { appApi } from './app-api.js';
import type { Views } from './components.js';
import type { JsonObject } from './json-schema.js';
import { publicApi } from './public-api.js';
import { views } from './views.generated.js';

/** The documents of the gateway's APIs. */
export interface ApiDocuments {
  /** `GET /v1/openapi.json`. */
  readonly publicApi: JsonObject;
  /** `GET /app/openapi.json`. */
  readonly appApi: JsonObject;
}

/** Describes every API from the routes as they are mounted. @throws Error when a route is not described well: a bug */
export function describeApis(routes: readonly MountedRoute[], baseUrl: string, answers: Views = views): ApiDocuments {
  const of = (isOf: (path: string) => boolean): MountedRoute[] =>
    routes.filter(({ method, path }) => method !== 'HEAD' && isOf(path));
  return {
    publicApi: describeApi(publicApi, of(isApiPath), answers, baseUrl),
    appApi: describeApi(appApi, of(isAppApiPath), answers, baseUrl),
  };
}

/** The documents as they are served. */
export class Descriptions {
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
