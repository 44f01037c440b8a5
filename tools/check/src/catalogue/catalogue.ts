import ts from 'typescript';
import type { Sources } from '../sources.js';
import { contractProgram, type ContractProgram } from './contract-program.js';
import { SCHEMA_DIALECT, type JsonSchema } from './json-schema.js';
import { docstringOf, SchemaEmitter } from './schema-emitter.js';

/** What events and rpcs have in common. */
export interface Contract {
  /** The name of its export. */
  readonly name: string;
  /** The NATS subject: what it is known by, and the name of its snapshot. */
  readonly subject: string;
  readonly owner: string;
  /** Its docstring without tags. */
  readonly description: string;
  /** Self-contained, of the whole payload: an event's envelope, an rpc's `request` and `response`. */
  readonly schema: JsonSchema;
}

/** An event as the code declares it. */
export interface EventContract extends Contract {
  /** Without owner and version. */
  readonly event: string;
  readonly version: number;
  /** Whose id the envelope's `aggregateId` is. */
  readonly aggregate: string;
  /** Its `sequence` is a number. */
  readonly isCounted: boolean;
}

/** Everything that crosses a border, read from the sources of `libs/contracts`: nothing is listed by hand. */
export interface Catalogue {
  /** By subject. */
  readonly events: readonly EventContract[];
  /** By subject. */
  readonly rpcs: readonly Contract[];
  /** What is missing or wrong in the declarations, a line each. */
  readonly problems: readonly string[];
}

const read = new WeakMap<Sources, Catalogue>();

/** The catalogue of these sources; read once. */
export function catalogueOf(sources: Sources): Catalogue {
  let catalogue = read.get(sources);
  if (!catalogue) {
    catalogue = readCatalogue(contractProgram(sources));
    read.set(sources, catalogue);
  }
  return catalogue;
}

interface Declared {
  readonly path: string;
  readonly symbol: ts.Symbol;
  readonly call: ts.CallExpression;
  /** `EventDefinition` or `RpcDefinition`. */
  readonly kind: string;
  readonly types: readonly ts.Type[];
}

function readCatalogue(program: ContractProgram): Catalogue {
  const events: EventContract[] = [];
  const rpcs: Contract[] = [];
  const problems: string[] = [];
  for (const declared of declarationsIn(program)) {
    try {
      if (declared.kind === 'EventDefinition') events.push(eventOf(program, declared));
      else rpcs.push(rpcOf(program, declared));
    } catch (error) {
      problems.push(`${declared.path} ${declared.symbol.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const subjects = [...events, ...rpcs].map(({ subject }) => subject);
  const twice = subjects.filter((subject, index) => subjects.indexOf(subject) !== index);
  problems.push(...twice.map((subject) => `${subject} is declared twice`));
  return { events: bySubject(events), rpcs: bySubject(rpcs), problems };
}

/** Every exported constant whose type is a definition of the grammar. */
function* declarationsIn({ checker, files }: ContractProgram): Generator<Declared> {
  for (const [path, file] of files) {
    const module = checker.getSymbolAtLocation(file);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const declaration = symbol.valueDeclaration;
      if (!declaration || !ts.isVariableDeclaration(declaration) || declaration.getSourceFile() !== file) continue;
      const type = checker.getTypeOfSymbol(symbol);
      const kind = type.symbol?.name;
      const call = declaration.initializer;
      if ((kind !== 'EventDefinition' && kind !== 'RpcDefinition') || !call || !ts.isCallExpression(call)) continue;
      yield { path, symbol, call, kind, types: checker.getTypeArguments(type as ts.TypeReference) };
    }
  }
}

function eventOf({ checker, files }: ContractProgram, { symbol, call, types, path }: Declared): EventContract {
  const [owner, event, version] = call.arguments.map((argument) => constantOf(checker, argument));
  if (typeof owner !== 'string' || typeof event !== 'string' || typeof version !== 'number') {
    throw new Error('owner, name and version must be constants');
  }
  const subject = `${owner}.${event}.v${version}`;
  const tag = /^([^,]+)(, counted)?$/.exec(tagOf(symbol, checker, 'aggregate'));
  if (!tag?.[1]) throw new Error('its docstring needs the tag `@aggregate <noun>` or `@aggregate <noun>, counted`');
  const isCounted = tag[2] !== undefined;
  const [data] = types;
  const envelope = exported(checker, files, 'EventEnvelope');
  if (!data || !envelope) throw new Error('its data has no type');
  const emitter = new SchemaEmitter(checker);
  const overrides = {
    subject: { type: 'string', enum: [subject] },
    sequence: { type: isCounted ? 'integer' : 'null' },
    data: emitter.schemaOf(data, 'data'),
  };
  const schema = emitter.objectOf(checker.getDeclaredTypeOfSymbol(envelope), 'envelope', overrides);
  const common = commonOf(checker, path, symbol, { subject, owner }, schema, emitter);
  return { ...common, event, version, aggregate: tag[1], isCounted };
}

function rpcOf({ checker }: ContractProgram, { symbol, call, types, path }: Declared): Contract {
  const [owner, method] = call.arguments.map((argument) => constantOf(checker, argument));
  if (typeof owner !== 'string' || typeof method !== 'string') throw new Error('owner and method must be constants');
  const [request, response] = types;
  if (!request || !response) throw new Error('its request or response has no type');
  const emitter = new SchemaEmitter(checker);
  const schema = {
    type: 'object',
    properties: { request: emitter.schemaOf(request, 'request'), response: emitter.schemaOf(response, 'response') },
    required: ['request', 'response'],
  };
  return commonOf(checker, path, symbol, { subject: `rpc.${owner}.${method}`, owner }, schema, emitter);
}

function commonOf(
  checker: ts.TypeChecker,
  path: string,
  symbol: ts.Symbol,
  { subject, owner }: { readonly subject: string; readonly owner: string },
  schema: JsonSchema,
  { definitions }: SchemaEmitter,
): Contract {
  const description = docstringOf(symbol, checker);
  if (description === '') throw new Error('it has no docstring');
  if (!path.startsWith(`libs/contracts/src/${owner}/`)) throw new Error(`it belongs into the folder of ${owner}`);
  const whole = { $schema: SCHEMA_DIALECT, title: subject, description, ...schema };
  const isNaming = Object.keys(definitions).length > 0;
  return { name: symbol.name, subject, owner, description, schema: isNaming ? { ...whole, definitions } : whole };
}

function constantOf(checker: ts.TypeChecker, argument: ts.Expression): string | number | undefined {
  const type = checker.getTypeAtLocation(argument);
  return type.isStringLiteral() || type.isNumberLiteral() ? type.value : undefined;
}

function tagOf(symbol: ts.Symbol, checker: ts.TypeChecker, name: string): string {
  const tag = symbol.getJsDocTags(checker).find((one) => one.name === name);
  return ts.displayPartsToString(tag?.text).replaceAll(/\s+/g, ' ').trim();
}

function exported(checker: ts.TypeChecker, files: ContractProgram['files'], name: string): ts.Symbol | undefined {
  for (const file of files.values()) {
    const module = checker.getSymbolAtLocation(file);
    const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (found) return found;
  }
  return undefined;
}

function bySubject<C extends Contract>(contracts: readonly C[]): readonly C[] {
  return [...contracts].sort((a, b) => (a.subject < b.subject ? -1 : 1));
}
