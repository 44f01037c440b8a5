import ts from 'typescript';
import type { Sources } from '../sources.js';
import { contractProgram } from './contract-program.js';
import { DEFINITIONS, type JsonSchema } from './json-schema.js';
import { SchemaEmitter } from './schema-emitter.js';

/** Where an OpenAPI document keeps its schemas. */
const COMPONENTS = '#/components/schemas/';

/**
 * Every shape that HTTP shows, in JSON Schema by its public name: the exported interfaces of `libs/contracts/src/<owner>/http.ts`
 * and `<part>-http.ts`, without the ending `View`. References lead to the components of an OpenAPI document.
 *
 * @throws Error that names the field whose type JSON cannot carry, or the name that stands for two types
 */
export function viewSchemas(sources: Sources): Readonly<Record<string, JsonSchema>> {
  const { checker, files } = contractProgram(sources);
  const emitter = new SchemaEmitter(checker);
  for (const [path, file] of files) {
    if (!/^libs\/contracts\/src\/[^/]+\/([^/]+-)?http\.ts$/.test(path)) continue;
    const module = checker.getSymbolAtLocation(file);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const declaration = symbol.declarations?.[0];
      if (!declaration || !ts.isInterfaceDeclaration(declaration) || declaration.getSourceFile() !== file) continue;
      emitter.schemaOf(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
    }
  }
  const views: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(emitter.definitions)) {
    const shown = publicName(name);
    if (views[shown]) throw new Error(`two shapes of HTTP have the name ${shown}`);
    views[shown] = led(schema);
  }
  return Object.fromEntries(Object.entries(views).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function publicName(name: string): string {
  return name.replace(/View$/, '');
}

/** The schema as the outside reads it: references lead to components, and docstrings name no sources of ours. */
function led(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (key: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (key === '$ref') return COMPONENTS + publicName(value.slice(DEFINITIONS.length));
    return key === 'description' ? value.replace(/ ?Source: .*$/, '') : value;
  });
  return JSON.parse(text) as JsonSchema;
}
