import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import type { RouteDocs } from '../http/route-docs.js';
import type { MountedRoute } from '../http/route-table.js';
import { answerResponse, pageSchemas } from './answers.js';
import { errorSchema, errorSchemaName } from './error-components.js';
import { answerHeaders, componentOf, headerComponents, requestHeaders } from './headers.js';
import { bodySchema, inputOf, sharedParameters } from './inputs.js';
import type { JsonObject, JsonSchema } from './json-schema.js';
import { refusalExamples, refusalResponse, refusalsOf, type Refusing } from './refusals.js';

/** One of the gateway's APIs: what is said once, beside its routes. */
export interface ApiFrame {
  readonly info: JsonObject;
  readonly tags: readonly JsonObject[];
  readonly securitySchemes: JsonObject;
  /** What an operation that needs somebody demands; the scope is told where there is one. */
  securityOf(scope: string | null): readonly JsonObject[];
  /** By event; none where the API has no webhooks. */
  readonly webhooks?: JsonObject;
  /** Parameters that its webhooks refer to. */
  readonly parameters?: JsonObject;
  /** Errors that the text refers to without being any route's own. */
  readonly errors: readonly ErrorDefinition[];
}

/** Shapes of answers in JSON Schema, by their public names. */
export type Views = Readonly<Record<string, JsonSchema>>;

/**
 * The OpenAPI 3.1 document of an API, from its routes' declarations.
 *
 * @param views what answers refer to; what nobody refers to is left out
 * @throws Error for a route without docs, or for two operations of one name: bugs
 */
export function describeApi(frame: ApiFrame, routes: readonly MountedRoute[], views: Views): JsonObject {
  const operations = routes.map((route) => new Operation(route, frame));
  const names = operations.map(({ docs }) => docs.operationId);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two operations have the name ${twice}`);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = operation.describe();
  const document = {
    openapi: '3.1.0',
    info: frame.info,
    servers: [{ url: '/', description: 'Where this description was read.' }],
    tags: frame.tags,
    paths,
    ...(frame.webhooks && { webhooks: frame.webhooks }),
  };
  return { ...document, components: componentsOf(document, operations, frame, views) };
}

/** A route on its way to an operation. */
class Operation {
  readonly path: string;
  readonly method: string;
  readonly docs: RouteDocs;
  readonly refusing: Refusing;
  readonly refusals: ReadonlyMap<number, readonly ErrorDefinition[]>;

  constructor(
    private readonly route: MountedRoute,
    private readonly frame: ApiFrame,
  ) {
    const { method, path, declaration } = route;
    if (!declaration.docs) throw new Error(`${method} ${path} has no docs`);
    this.path = path.replaceAll(/:(\w+)/g, '{$1}');
    this.method = method.toLowerCase();
    this.docs = declaration.docs;
    const { access, errors } = declaration;
    const scope = declaration.access === 'key' ? declaration.scope : null;
    this.refusing = { method, access, scope, errors, headers: this.docs.refusalHeaders ?? [] };
    this.refusals = refusalsOf(this.refusing);
  }

  describe(): JsonObject {
    const { operationId, tag, summary, description, answers } = this.docs;
    const { scope, access } = this.refusing;
    const { parameters, requestBody } = inputOf(this.route.path, this.docs);
    return {
      operationId,
      tags: [tag],
      summary,
      description: scope === null ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
      security: access === 'public' ? [] : this.frame.securityOf(scope),
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, answer]) => [status, answerResponse(Number(status), answer, access)]),
        ),
        ...Object.fromEntries(
          [...this.refusals].map(([status, errors]) => [
            status,
            this.isShared(errors)
              ? { $ref: `#/components/responses/${sharedName(errors)}` }
              : refusalResponse(status, errors, this.refusing),
          ]),
        ),
      },
    };
  }

  /** Responses that are the same for every route that has them. */
  sharedResponses(): [string, JsonObject][] {
    return [...this.refusals]
      .filter(([, errors]) => this.isShared(errors))
      .map(([status, errors]) => [sharedName(errors), refusalResponse(status, errors, this.refusing)]);
  }

  private isShared(errors: readonly ErrorDefinition[]): boolean {
    return errors.length === 1 && this.refusing.headers.length === 0 && this.refusing.access !== 'public';
  }
}

function sharedName([error]: readonly ErrorDefinition[]): string {
  const words = (error?.code ?? '').toLowerCase().split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** All that the document refers to, and all that those refer to. */
function componentsOf(
  document: JsonObject,
  operations: readonly Operation[],
  frame: ApiFrame,
  views: Views,
): JsonObject {
  const docs = operations.map((operation) => operation.docs);
  const bodies = docs.flatMap(({ body }) => (body ? [[body.shape.name, bodySchema(body)] as const] : []));
  const errors = new Set([...frame.errors, ...operations.flatMap(({ refusals }) => [...refusals.values()].flat())]);
  const headers = Object.entries(answerHeaders).map(([name, header]) => [componentOf(name), header] as const);
  const parameters = Object.entries(requestHeaders).map(
    ([name, header]) => [name, { name, in: 'header', ...header }] as const,
  );
  const all: Readonly<Record<string, JsonObject>> = {
    responses: Object.fromEntries(operations.flatMap((operation) => operation.sharedResponses())),
    parameters: { ...frame.parameters, ...sharedParameters(docs), ...Object.fromEntries(parameters) },
    headers: { ...headerComponents, ...Object.fromEntries(headers) },
    examples: refusalExamples(errors),
    schemas: {
      [errorSchemaName]: errorSchema,
      ...Object.fromEntries(bodies),
      ...pageSchemas(docs.flatMap(({ answers }) => Object.values(answers))),
      ...views,
    },
  };
  return { securitySchemes: frame.securitySchemes, ...onlyReferred(document, all, frame.errors) };
}

/** The components that are referred to, in alphabetical order; examples of errors without a route are kept by name. */
function onlyReferred(
  document: JsonObject,
  all: Readonly<Record<string, JsonObject>>,
  kept: readonly ErrorDefinition[],
): JsonObject {
  const referred = new Set(kept.map(({ code }) => `examples/${code}`));
  const follow = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      if (referred.has(`${kind}/${name}`)) continue;
      referred.add(`${kind}/${name}`);
      const found = all[kind]?.[name];
      if (found === undefined) throw new Error(`nothing is described as ${kind}/${name}`);
      follow(found);
    }
  };
  follow(document);
  const left = Object.entries(all).map(([kind, entries]): [string, JsonObject] => {
    const names = Object.keys(entries).filter((name) => referred.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(names.sort().map((name) => [name, entries[name]]))];
  });
  return Object.fromEntries(left.filter(([, entries]) => Object.keys(entries).length > 0));
}
