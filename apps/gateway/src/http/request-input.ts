import { AppError } from '@switchboard/contracts/grammar/app-error';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import type { Shape } from './input/field-description.js';
import { fieldHints } from './input/field-hint.policy.js';
import { fieldsOf, readBody, readQuery } from './input/read-input.js';
import type { RouteDocs } from './route-docs.js';
import type { MountedRoute } from './route-table.js';

/** The parts of a request that carry its input. */
export interface RequestParts {
  readonly params: object;
  readonly query: object;
  readonly body: object;
}

/** The validated parts, as handlers get them; undefined where the route takes none. */
export interface RequestInput {
  readonly query: object | undefined;
  readonly body: object | undefined;
}

/**
 * Validates what a route takes: the path's ids, the query, the body, in this order.
 *
 * @param path the route's, with a colon before each parameter
 * @param target the request target as it came
 * @returns query and body as instances of the shapes that the route's docs name
 * @throws AppError VALIDATION_FAILED, MALFORMED_BODY
 */
export function readInput(
  path: string,
  { query, body }: { readonly query?: RouteDocs['query']; readonly body?: RouteDocs['body'] | undefined },
  parts: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  target: string,
): RequestInput {
  for (const [, name = ''] of path.matchAll(/\/:(\w+)/g)) checkId(parts.params, name);
  const queryInput = query ? readQuery(query, parts.query, target) : undefined;
  const bodyInput = body ? readBody(body.shape, parts.body) : undefined;
  const problem = bodyInput && body?.rule?.problemOf(bodyInput);
  if (problem) throw new AppError(serviceErrors.VALIDATION_FAILED, problem + hintsOf(body?.shape, parts.body));
  return { query: queryInput, body: bodyInput };
}

/**
 * Reads what a request would bring, as the gateway would: for descriptions, tools and tests.
 *
 * @param headers by their names in small letters
 * @throws AppError as `readInput`, and for a malformed `Idempotency-Key`
 */
export function readParts(
  { path, declaration }: Pick<MountedRoute, 'path' | 'declaration'>,
  parts: RequestParts,
  headers: Readonly<Record<string, string>> = {},
): RequestInput {
  const { access } = declaration;
  const isIdempotent = (access === 'key' || access === 'session') && declaration.takesIdempotencyKey === true;
  if (isIdempotent && headers['idempotency-key'] !== undefined) readIdempotencyKey(Object.entries(headers).flat());
  return readInput(path, declaration.docs ?? {}, parts, '/');
}

function hintsOf(shape: Shape | undefined, body: unknown): string {
  return shape ? fieldHints(Object.keys(Object(body) as object), fieldsOf(shape)) : '';
}

/** Every parameter of a path is an id. */
function checkId(params: unknown, name: string): void {
  const id: unknown = Object.hasOwn(Object(params) as object, name)
    ? Reflect.get(Object(params) as object, name)
    : null;
  if (!isCuid(id)) throw new AppError(serviceErrors.VALIDATION_FAILED, `\`${name}\` must be a cuid`);
}
