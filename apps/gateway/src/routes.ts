import { createLog } from '@switchboard/platform';
import { fastify } from 'fastify';
import { OpenRequests } from './http/open-requests.js';
import { readParts, type RequestParts } from './http/request-parts.js';
import { applyDeclaration, type RouteDeclaration } from './http/route-declaration.js';
import { RouteTable, type MountedRoute } from './http/route-table.js';
import { mountOnServer } from './gateway.js';
import type { Scope } from './identity/admission.contract.js';
import type { Role } from './identity/people.contract.js';
import { GatewayModule, type GatewayParts } from './gateway.module.js';

export type { RequestParts } from './http/request-parts.js';

/** A route as the gateway declares it. */
export interface GatewayRoute {
  readonly method: string;
  /** Its parameters begin with a colon. */
  readonly path: string;
  readonly access: RouteDeclaration['access'];
  /** Who may, on a route for sessions; null: every member, or a route of another kind. */
  readonly roles: readonly Role[] | null;
  /** What a key needs, on a route for keys; null: nothing, or a route of another kind. */
  readonly scope: Scope | null;
  /** Reads a request as the gateway would, as `readParts` says. */
  read(request: RequestParts, headers?: Readonly<Record<string, string>>): unknown;
}

/** Stands for whatever the handlers are made of: they are registered and never called. */
const nothing: object = new Proxy({}, { get: (_target, name) => (name === 'then' ? undefined : nothing) });

/** Every route that the gateway serves, as its module mounts them; needs no server. For tests and tools. */
export async function gatewayRoutes(): Promise<readonly GatewayRoute[]> {
  const routes = await mountedRoutes();
  return routes.map(({ method, path, declaration }) => {
    const { access } = declaration;
    const roles = access === 'session' ? declaration.roles : null;
    const scope = access === 'key' ? declaration.scope : null;
    return { method, path, access, roles, scope, read: (parts, headers) => readParts(declaration, parts, headers) };
  });
}

/** The same with their declarations. @throws Error when a route declares nothing */
export async function mountedRoutes(): Promise<readonly MountedRoute[]> {
  const table = new RouteTable();
  const server = fastify({ exposeHeadRoutes: false });
  server.addHook('onRoute', (route) => {
    applyDeclaration(route);
    table.add(route);
  });
  const log = createLog('routes', { write: () => undefined });
  const app = await mountOnServer(server, GatewayModule.of(nothing as GatewayParts), log, new OpenRequests());
  await app.close();
  return table.mounted;
}
