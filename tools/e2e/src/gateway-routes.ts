import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A route of the gateway; parameters of the path begin with a colon. */
export interface GatewayRoute {
  readonly method: string;
  readonly path: string;
}

const gateway = resolve(import.meta.dirname, '..', '..', '..', 'apps', 'gateway', 'src');

/**
 * Every route that the gateway's controllers declare, read from their sources: a new one is found by itself.
 *
 * @throws Error when a controller declares none that can be read
 */
export async function gatewayRoutes(): Promise<GatewayRoute[]> {
  const routes: GatewayRoute[] = [];
  for await (const file of glob('**/*.controller.ts', { cwd: gateway })) {
    const text = await readFile(join(gateway, file), 'utf8');
    const [, base] = /@Controller\('([^']*)'\)/.exec(text) ?? [];
    const handlers = [...text.matchAll(/@(Get|Post|Put|Patch|Delete|All)\((?:'([^']*)')?\)/g)];
    if (base === undefined || handlers.length === 0) throw new Error(`${file} declares no route that can be read`);
    for (const [, verb = '', path = ''] of handlers) {
      routes.push({ method: verb.toUpperCase(), path: `/${base}${path === '' ? '' : `/${path}`}` });
    }
  }
  return routes;
}
