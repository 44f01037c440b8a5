import type { GatewayRoute, RequestParts } from '@switchboard/gateway/routes';
import { fieldValues, idFixtures, idsOfPaths, noIds, unknownId, type Tenant } from './tenant-values.js';

const VALUES = 'tools/e2e/src/tenant-values.ts';
/** More fields than any route has. */
const ROUNDS_MAX = 40;

/** A place of a request that holds an id. */
export interface IdPlace {
  readonly part: keyof RequestParts;
  readonly field: string;
  /** What it is an id of: a name of `idFixtures`. */
  readonly kind: string;
}

/** The parts of a request that is being put together. */
type Parts = Record<keyof RequestParts, Record<string, unknown>>;

/**
 * Where a route takes ids: found by having the gateway's own code read requests that remember what was looked for.
 *
 * @throws Error that says what to add when a field is not known here
 */
export function idPlacesOf(route: GatewayRoute): readonly IdPlace[] {
  const seen = new Map<string, IdPlace>();
  const name = `${route.method} ${route.path}`;
  const onLook = (part: keyof RequestParts, field: string): void => {
    if (!/^id$|Ids?$/.test(field) || field in noIds) return;
    const kind = part === 'params' && field === 'id' ? kindOfPath(name) : field;
    if (!(kind in idFixtures)) throw new Missing(`${name} takes the id \`${field}\`: add it to idFixtures`);
    seen.set(`${part}.${field}`, { part, field, kind });
  };
  for (const field of pathFields(route)) onLook('params', field);
  completed(route, emptyParts(route), onLook);
  return [...seen.values()];
}

/**
 * The request that asks for `id` at a place: what else the route needs is added, ids of the tenant's own among it.
 *
 * @returns the target and the body of the request
 */
export async function requestWith(
  route: GatewayRoute,
  place: IdPlace,
  id: string,
  tenant: Tenant,
): Promise<{ readonly target: string; readonly body: string | undefined }> {
  const parts = emptyParts(route);
  const own = new Map<string, string>();
  parts[place.part][place.field] = place.field.endsWith('Ids') ? [id] : id;
  completed(route, parts, () => undefined);
  for (const part of ['params', 'query', 'body'] as const) {
    for (const [field, value] of Object.entries(parts[part])) {
      if (value !== PLACEHOLDER) continue;
      const kind = part === 'params' && field === 'id' ? kindOfPath(`${route.method} ${route.path}`) : field;
      own.set(kind, own.get(kind) ?? (await idFixtures[kind]?.(tenant)) ?? PLACEHOLDER);
      parts[part][field] = own.get(kind);
    }
  }
  const query = new URLSearchParams(parts.query as Record<string, string>).toString();
  const path = route.path.replaceAll(/:(\w+)/g, (_match, field: string) => String(parts.params[field]));
  const hasBody = Object.keys(parts.body).length > 0;
  return { target: query === '' ? path : `${path}?${query}`, body: hasBody ? JSON.stringify(parts.body) : undefined };
}

/** What a test lacks to know of a route. */
class Missing extends Error {
  constructor(what: string) {
    super(`${what} in ${VALUES}`);
  }
}

/** Stands for an id of the asking tenant until one is made. */
const PLACEHOLDER = unknownId();

function emptyParts(route: GatewayRoute): Parts {
  return { params: Object.fromEntries(pathFields(route).map((field) => [field, PLACEHOLDER])), query: {}, body: {} };
}

function pathFields({ path }: GatewayRoute): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => field);
}

/** Adds to the request what the route says is missing, one field at a time, until it is read. */
function completed(route: GatewayRoute, parts: Parts, onLook: (part: keyof RequestParts, field: string) => void): void {
  const places = new Map<string, keyof RequestParts>();
  const watch = (part: keyof RequestParts): object =>
    watched(parts[part], (field) => {
      places.set(field, part);
      onLook(part, field);
    });
  for (let round = 0; ; round++) {
    try {
      route.read({ params: watch('params'), query: watch('query'), body: watch('body') });
      return;
    } catch (error) {
      if (error instanceof Missing || round === ROUNDS_MAX) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const named = [...message.matchAll(/`(\w+)`/g)].map(([, field = '']) => field);
      const field = named.find((one) => places.has(one) && !(one in parts[places.get(one) ?? 'body']));
      if (field === undefined)
        throw new Error(`${route.method} ${route.path} cannot be asked: ${message}`, { cause: error });
      const isId = field in idFixtures;
      if (!isId && !(field in fieldValues)) {
        throw new Missing(`${route.method} ${route.path} needs \`${field}\`: add it to fieldValues`);
      }
      parts[places.get(field) ?? 'body'][field] = isId ? PLACEHOLDER : fieldValues[field]?.();
    }
  }
}

/** The same object, telling which of its fields are looked for, in whatever way. */
function watched(target: object, onLook: (field: string) => void): object {
  const look = (name: string | symbol): void => {
    if (typeof name === 'string') onLook(name);
  };
  return new Proxy(target, {
    get: (object, name) => (look(name), Reflect.get(object, name) as unknown),
    has: (object, name) => (look(name), Reflect.has(object, name)),
    getOwnPropertyDescriptor: (object, name) => (look(name), Reflect.getOwnPropertyDescriptor(object, name)),
  });
}

/** @param name method and path */
function kindOfPath(name: string): string {
  const segment = /([^/]+)\/:id(?=\/|$)/.exec(name)?.[1] ?? '';
  const kind = idsOfPaths[segment];
  if (kind === undefined) throw new Missing(`${name} takes the id of \`${segment}\`: add it to idsOfPaths`);
  return kind;
}
