import type { JsonSchema } from '@switchboard/openapi';
import { createLog, PlatformModule, type Platform } from '@switchboard/platform';
import { createApplication } from './gateway.js';
import { gatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { readParts, type RequestParts } from './http/request-input.js';
import type { RouteDeclaration } from './http/route-declaration.js';
import { RouteTable, type MountedRoute } from './http/route-table.js';
import type { Scope } from './identity/admission.contract.js';
import type { Role } from './identity/signed-in.contract.js';

export type { RequestParts } from './http/request-input.js';

/** A route as the gateway declares it. */
export interface GatewayRoute {
  readonly method: string;
  /** Its parameters begin with a colon. */
  readonly path: string;
  readonly access: RouteDeclaration['access'];
  /** The roles that may call it, on a route for sessions; null: every member, or a route of another kind. */
  readonly roles: readonly Role[] | null;
  /** What a key needs, on a route for keys; null: nothing, or a route of another kind. */
  readonly scope: Scope | null;
  /** A relation between the fields of its body, in JSON Schema: the description has it in words. */
  readonly bodyRule?: JsonSchema;
  /** Reads a request as the gateway would, as `readParts` says. */
  read(request: RequestParts, headers?: Readonly<Record<string, string>>): unknown;
}

/** A stand-in for every connection: providers are made with it, and no handler is called. */
const nothing: object = new Proxy({}, { get: (_target, name) => (name === 'then' ? undefined : nothing) });

/** Every route that the gateway serves, as its modules mount them; needs no server. For tests and tools. */
export async function gatewayRoutes(): Promise<readonly GatewayRoute[]> {
  const routes = await mountedRoutes();
  return routes.map((route) => {
    const { method, path, declaration } = route;
    const { access } = declaration;
    const roles = access === 'session' ? declaration.roles : null;
    const scope = access === 'key' ? declaration.scope : null;
    const bodyRule = declaration.docs?.body?.rule?.schema;
    return {
      method,
      path,
      access,
      roles,
      scope,
      ...(bodyRule && { bodyRule }),
      read: (parts, headers) => readParts(route, parts, headers),
    };
  });
}

/** The same with their declarations. @throws Error when a route declares nothing */
export async function mountedRoutes(): Promise<readonly MountedRoute[]> {
  const unset = { DATABASE_URL: 'postgres://none', NATS_URL: 'none', NATS_USER: 'none', NATS_PASSWORD: 'none' };
  const key = Buffer.alloc(32).toString('base64');
  const config = gatewayConfig({
    ...unset,
    CLOUD_APP_SECRET: 'none',
    CLOUD_VERIFY_TOKEN: 'none',
    CREDENTIALS_KEY: key,
  });
  const log = createLog('routes', { write: () => undefined });
  const gateway = GatewayModule.of({ config, checks: {} });
  const platform = { ...(nothing as Platform), log, database: nothing, rpc: nothing, relay: nothing, nats: nothing };
  const root = PlatformModule.of(platform as Platform, gateway, new AbortController().signal);
  const app = await createApplication(root, config, log);
  // Not `init`: it would start the loops.
  await app.registerRouter();
  // Fastify adds HEAD to every GET.
  return app.get(RouteTable).mounted.filter(({ method }) => method !== 'HEAD');
}
