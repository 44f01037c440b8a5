/** JSON Schema as the application's description uses it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | null)[];
  readonly const?: string | number | boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** What is read of an OpenAPI document. */
export interface ApiDocument {
  readonly info: {
    /** What the codes of failed messages mean. */
    readonly 'x-failure-words'?: Readonly<Record<string, { readonly means: string; readonly advice: string }>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/**
 * The TypeScript module of an API: one type for each schema, one entry of `Operations` for each operation, and `routes` with the
 * method and path of each.
 *
 * @throws Error at a form of schema that it cannot express: a type that says too little would let mistakes pass.
 */
export function apiModule(document: ApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${docstring(schema.description ?? `The schema ${name}.`)}export type ${name} = ${typeOf(schema)};`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      'operationId' in operation ? [{ path, method: method.toUpperCase(), operation }] : [],
    ),
  );
  const types = operations.map(
    ({ operation }) => `  readonly ${operation.operationId}: ${operationType(operation, document)};`,
  );
  const routes = operations.map(
    ({ path, method, operation }) => `  ${operation.operationId}: ${JSON.stringify([method, path])},`,
  );
  return [
    '// Written by build/api-module.ts from docs/app-openapi.json at every build.',
    ...schemas,
    '/** What each operation takes and answers. */',
    `export interface Operations {\n${types.join('\n')}\n}`,
    '/** Method and path of each operation. */',
    `export const routes: Readonly<Record<keyof Operations, readonly [method: string, path: string]>> = {\n${routes.join('\n')}\n};`,
    '/** What a failed message says by its code: what it means, and what to do. */',
    `export const failureWords: Readonly<Record<string, { readonly means: string; readonly advice: string }>> = ${JSON.stringify(document.info['x-failure-words'] ?? {}, null, 2)};`,
    '',
  ].join('\n\n');
}

function operationType(operation: Operation, document: ApiDocument): string {
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, document));
  const placed = (place: string): string => {
    const fields = parameters.filter((one) => one.in === place);
    if (fields.length === 0) return 'undefined';
    return `{ ${fields.map((one) => `readonly ${key(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`).join('; ')} }`;
  };
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) => {
    if (!status.startsWith('2')) return [];
    const schema = content?.['application/json']?.schema;
    return [schema ? typeOf(schema) : 'undefined'];
  });
  const answer = [...new Set(answers)].join(' | ') || 'undefined';
  return `{ readonly path: ${placed('path')}; readonly query: ${placed('query')}; readonly body: ${body ? typeOf(body) : 'undefined'}; readonly answer: ${answer} }`;
}

function resolved(parameter: Parameter, document: ApiDocument): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const found = document.components.parameters?.[nameIn(parameter.$ref)];
  if (!found) throw new Error(`the description has no ${parameter.$ref}`);
  return found;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const choices = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf);
  if (choices) return choices.map((one) => bracketed(typeOf(one))).join(' | ');
  const types =
    typeof schema.type === 'string' ? [schema.type] : (schema.type ?? (schema.properties ? ['object'] : []));
  if (types.length === 0) return 'unknown';
  return types.map((type) => typeNamed(type, schema)).join(' | ');
}

function typeNamed(type: string, schema: Schema): string {
  if (type === 'string' || type === 'boolean' || type === 'null' || type === 'number') return type;
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly ${bracketed(schema.items ? typeOf(schema.items) : 'unknown')}[]`;
  if (type !== 'object') throw new Error(`no TypeScript type is known for ${type}`);
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const mark = schema.required?.includes(name) ? '' : '?';
      return `${field.description === undefined ? '' : docstring(field.description)}readonly ${key(name)}${mark}: ${typeOf(field)};`;
    });
    return `{\n${fields.join('\n')}\n}`;
  }
  const values = typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties) : 'unknown';
  return `Readonly<Record<string, ${values}>>`;
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function key(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

function bracketed(type: string): string {
  return type.includes(' ') && !type.startsWith('{') ? `(${type})` : type;
}

function docstring(text: string): string {
  return `/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`;
}
