import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import { pageSchemas } from './answers.js';
import type { ApiFrame } from './api-frame.js';
import { answerHeaders, componentOf, headerComponents, requestHeaders } from './headers.js';
import { bodySchema, sharedParameters } from './inputs.js';
import type { Json, JsonObject, JsonSchema } from './json-schema.js';
import type { Operation } from './operation.js';
import { plainSchemas } from './plain-schemas.js';
import { refusalExamples, refusalResponse, refusalsOf, type Refusing } from './refusals.js';

/** Shapes of answers in JSON Schema, by their public names. */
export type Views = Readonly<Record<string, JsonSchema>>;

/** Components by kind and name. */
export type Components = Readonly<Record<string, JsonObject>>;

/** All that could be referred to. */
export function componentsOf(
  operations: readonly Operation[],
  errors: Iterable<ErrorDefinition>,
  frame: ApiFrame,
  views: Views,
): Components {
  const docs = operations.map((operation) => operation.docs);
  const bodies = docs.flatMap(({ body }) => (body ? [[body.shape.name, bodySchema(body)] as const] : []));
  const headers = Object.entries(answerHeaders).map(([name, header]) => [componentOf(name), header] as const);
  const parameters = Object.entries(requestHeaders).map(
    ([name, header]) => [name, { name, in: 'header', ...header }] as const,
  );
  return {
    responses: Object.fromEntries(operations.flatMap((operation) => operation.sharedResponses())),
    parameters: { ...frame.parameters, ...sharedParameters(docs), ...Object.fromEntries(parameters) },
    headers: { ...headerComponents, ...Object.fromEntries(headers) },
    examples: refusalExamples(errors, frame.wordings),
    schemas: {
      ...plainSchemas,
      ...Object.fromEntries(bodies),
      ...pageSchemas(docs.flatMap(({ answers }) => Object.values(answers))),
      ...views,
    },
  };
}

/** What is answered where there is no operation. No rule of OpenAPI covers it, so that nothing here refers to anything. */
export function unroutedResponses(refusing: Refusing, all: Components): JsonObject {
  const inlined = (part: Json | undefined): Json | undefined => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part;
    const [, kind = '', name = ''] =
      /^#\/components\/(headers|examples)\/(.+)$/.exec(String((part as JsonObject)['$ref'])) ?? [];
    if (kind !== '') return all[kind]?.[name];
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inlined(value)]));
  };
  const responses = [...refusalsOf(refusing)].map(([status, errors]): [string, Json | undefined] => [
    String(status),
    inlined(refusalResponse(status, errors, refusing)),
  ]);
  return Object.fromEntries(responses);
}

/** The components that are referred to, directly or by others, in alphabetical order. */
export function onlyReferred(document: JsonObject, all: Components): JsonObject {
  const referred = new Set<string>();
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
