import type { ValidateFunction } from 'ajv';
import { closedSchemas, type Json, type JsonObject } from './closed-schemas.js';
import { schemaValidator } from './schema-validator.js';

/** An answer as a client saw it, read whole. */
export interface SeenAnswer {
  readonly method: string;
  /** Path and query, as they were asked for. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers that HTTP itself brings, or that say the same of every answer; the description passes over them. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(
  'content-type content-length content-encoding transfer-encoding vary date connection keep-alive cache-control'
    .split(' ')
    .concat('x-content-type-options')
    .concat('content-security-policy x-frame-options referrer-policy strict-transport-security'.split(' '))
    .concat('cross-origin-resource-policy cross-origin-opener-policy'.split(' ')),
);

/** A description that answers are held to: a status, header, field or error code that it does not know is a problem. */
export class DescribedApi {
  private readonly ajv = schemaValidator();
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly operations: readonly { readonly path: RegExp; readonly methods: JsonObject }[];

  /** @param prefix of the paths that it describes, `/v1` for example */
  constructor(
    private readonly document: JsonObject,
    private readonly prefix: string,
  ) {
    const schemas = objectAt(document, 'components', 'schemas');
    this.ajv.addSchema({ $id: 'api', $defs: closedSchemas(schemas) });
    const paths = Object.entries(objectAt(document, 'paths'));
    // A path without parameters comes before one with: `/a/b` is not `/a/{id}`.
    paths.sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
    this.operations = paths.map(([path, methods]) => {
      return {
        path: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        methods: object(methods),
      };
    });
  }

  /** What is wrong with an answer, a sentence each; none for a target that lies outside of the API. */
  problemsOf(answer: SeenAnswer): readonly string[] {
    const [path = ''] = answer.target.split('?');
    if (path !== this.prefix && !path.startsWith(`${this.prefix}/`)) return [];
    const responses = this.responsesOf(answer.method, path);
    const described = responses[answer.status];
    if (described === undefined) return [`${answer.status} is not among ${Object.keys(responses).join(', ')}`];
    const response = this.resolved(described);
    return [...this.headerProblems(response, answer), ...this.bodyProblems(response, answer)];
  }

  private responsesOf(method: string, path: string): JsonObject {
    const operation = this.operations.find((one) => one.path.test(path))?.methods[
      method.toLowerCase().replace('head', 'get')
    ];
    return operation === undefined ? objectAt(this.document, 'x-unrouted') : objectAt(object(operation), 'responses');
  }

  private headerProblems(response: JsonObject, { headers }: SeenAnswer): readonly string[] {
    const described = new Map(
      Object.entries(objectAt(response, 'headers')).map(([name, header]) => [
        name.toLowerCase(),
        this.resolved(header),
      ]),
    );
    const present = [...headers.keys()].filter((name) => !PLAIN_HEADERS.has(name));
    const unknown = present.filter((name) => !described.has(name)).map((name) => `the header ${name} is not described`);
    const known = [...described].flatMap(([name, header]) => {
      const value = headers.get(name);
      if (value === null) return header['required'] === true ? [`the header ${name} is missing`] : [];
      const schema = objectAt(header, 'schema');
      const typed = schema['type'] === 'integer' ? Number(value) : value;
      return this.ajv.validate(schema, typed)
        ? []
        : [`the header ${name} is ${JSON.stringify(value)}: ${this.ajv.errorsText()}`];
    });
    return [...unknown, ...known];
  }

  private bodyProblems(response: JsonObject, { method, headers, text }: SeenAnswer): readonly string[] {
    const content = objectAt(response, 'content');
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    if (Object.keys(content).length === 0) return text === '' && type === '' ? [] : ['no body is described'];
    const media = content[type];
    if (media === undefined) return [`the media type ${JSON.stringify(type)} is not described`];
    if (method === 'HEAD') return text === '' ? [] : ['an answer to HEAD has no body'];
    if (type === 'text/event-stream') return [];
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return ['the body is not JSON'];
    }
    const validate = this.validatorOf(String(objectAt(object(media), 'schema')['$ref']));
    const faults = validate(body)
      ? []
      : (validate.errors ?? []).map(
          (error) => `${error.instancePath || 'the body'} ${error.message} ${JSON.stringify(error.params)}`,
        );
    return [...faults, ...codeProblems(response, body)];
  }

  private validatorOf(reference: string): ValidateFunction {
    const name = reference.replace('#/components/schemas/', '');
    let validate = this.compiled.get(name);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `api#/$defs/${name}` });
      this.compiled.set(name, validate);
    }
    return validate;
  }

  private resolved(part: Json | undefined): JsonObject {
    const reference = object(part)['$ref'];
    return typeof reference === 'string' ? objectAt(this.document, ...reference.slice(2).split('/')) : object(part);
  }
}

/** A refusal must be one that the route is described to answer under that status. */
function codeProblems(response: JsonObject, body: unknown): readonly string[] {
  const codes = response['x-error-codes'];
  if (!Array.isArray(codes)) return [];
  const code = objectAt(object(body as Json), 'error')['code'];
  return codes.includes(code) ? [] : [`the code ${String(code)} is not among ${codes.join(', ')}`];
}

function objectAt(root: JsonObject, ...path: readonly string[]): JsonObject {
  return path.reduce((part, name) => object(part[name]), root);
}

/** Anything else is an object without fields. */
function object(part: Json | undefined): JsonObject {
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? (part as JsonObject) : {};
}
