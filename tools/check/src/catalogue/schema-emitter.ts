import ts from 'typescript';
import { DEFINITIONS, type JsonScalar, type JsonSchema } from './json-schema.js';
import { elementNode, isWholeNumber, stringForm } from './declared-form.js';

/** The text of a property's type, by the property's name. */
type Overrides = Readonly<Record<string, JsonSchema>>;

/**
 * Says in JSON Schema what a type of the contracts looks like as JSON.
 *
 * Exported, non-generic interfaces become named definitions; descriptions are the docstrings; a string whose declared type
 * is an alias with the tags `pattern` and `format` has that form, a number whose alias has the tag `integer` is whole. One
 * emitter for each self-contained schema.
 *
 * @throws Error that names the field whose type JSON cannot carry, or that the schema could not say
 */
export class SchemaEmitter {
  /** The named schemas that those emitted so far refer to. */
  readonly definitions: Record<string, JsonSchema> = {};
  private readonly named = new Map<string, ts.Symbol>();

  constructor(private readonly checker: ts.TypeChecker) {}

  /** @param node the type as it was declared, for the form of its strings */
  schemaOf(type: ts.Type, path: string, node?: ts.TypeNode): JsonSchema {
    const { flags } = type;
    if (flags & ts.TypeFlags.Unknown) return {};
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.isUnion()) return this.unionOf(type.types, path, node);
    if (flags & ts.TypeFlags.String) return { type: 'string', ...stringForm(this.checker, node) };
    if (flags & ts.TypeFlags.Number) return { type: isWholeNumber(this.checker, node) ? 'integer' : 'number' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    const literal = literalOf(type);
    if (literal !== undefined) return enumOf([literal]);
    if (this.checker.isArrayType(type)) {
      const [element] = this.checker.getTypeArguments(type as ts.TypeReference);
      if (element) return { type: 'array', items: this.schemaOf(element, `${path}[]`, elementNode(node)) };
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) && !this.checker.isTupleType(type)) {
      return this.referenceTo(type, path) ?? this.objectOf(type, path);
    }
    throw new Error(`${path} is of type ${this.checker.typeToString(type)}, which no schema says`);
  }

  /** The object itself, named or not. */
  objectOf(type: ts.Type, path: string, overrides: Overrides = {}): JsonSchema {
    if (type.getCallSignatures().length > 0) throw new Error(`${path} is a function: JSON carries none`);
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const { name } = symbol;
      const description = docstringOf(symbol, this.checker);
      const schema = overrides[name] ?? this.propertyOf(symbol, `${path}.${name}`);
      properties[name] = description === '' ? schema : { description, ...schema };
      if (!(symbol.flags & ts.SymbolFlags.Optional)) required.push(name);
    }
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type;
    // An object is open anyway; `Record<string, never>` is how the code writes one without fields.
    const isOpen = !index || (index.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Never)) !== 0;
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(isOpen ? {} : { additionalProperties: this.schemaOf(index, `${path}[*]`) }),
    };
  }

  private propertyOf(symbol: ts.Symbol, path: string): JsonSchema {
    const declaration = symbol.valueDeclaration;
    const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const type = this.checker.getTypeOfSymbol(symbol);
    if (!(symbol.flags & ts.SymbolFlags.Optional)) return this.schemaOf(type, path, node);
    const present = membersOf(type).filter((member) => !(member.flags & ts.TypeFlags.Undefined));
    return this.unionOf(present, path, node);
  }

  private unionOf(members: readonly ts.Type[], path: string, node?: ts.TypeNode): JsonSchema {
    const [only] = members;
    if (only && members.length === 1) return this.schemaOf(only, path, node);
    const undefinedMember = members.find(({ flags }) => flags & ts.TypeFlags.Undefined);
    if (undefinedMember) throw new Error(`${path} may be undefined, which JSON drops: make it optional`);
    const literals = members.map(literalOf).filter((literal) => literal !== undefined);
    const isBoolean = literals.includes(true) && literals.includes(false);
    const words = isBoolean ? literals.filter((literal) => typeof literal !== 'boolean') : literals;
    const others = members.filter((member) => literalOf(member) === undefined && !(member.flags & ts.TypeFlags.Null));
    const parts = others.map((member) => this.schemaOf(member, path, node));
    if (isBoolean) parts.push({ type: 'boolean' });
    if (words.length > 0) parts.push(enumOf(words));
    const isNullable = members.some(({ flags }) => flags & ts.TypeFlags.Null);
    return nullable(parts, isNullable);
  }

  /** A reference, when the type has a name of its own that every reader of the contracts could import. */
  private referenceTo(type: ts.Type, path: string): JsonSchema | undefined {
    const { symbol } = type;
    const isGeneric = this.checker.getTypeArguments(type as ts.TypeReference).length > 0;
    const declaration = symbol?.declarations?.[0];
    if (!declaration || !ts.isInterfaceDeclaration(declaration) || isGeneric) return undefined;
    const { name } = symbol;
    const known = this.named.get(name);
    if (known && known !== symbol) throw new Error(`${path}: two interfaces have the name ${name}`);
    if (!known) {
      this.named.set(name, symbol);
      // Set before its fields are looked at, so that it stands before those that it refers to.
      this.definitions[name] = {};
      this.definitions[name] = { ...described(symbol, this.checker), ...this.objectOf(type, name) };
    }
    return { $ref: DEFINITIONS + name };
  }
}

/** A symbol's docstring without its tags, its line breaks made spaces. */
export function docstringOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ').trim();
}

function described(symbol: ts.Symbol, checker: ts.TypeChecker): JsonSchema {
  const description = docstringOf(symbol, checker);
  return description === '' ? {} : { description };
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function literalOf(type: ts.Type): string | number | boolean | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (!(type.flags & ts.TypeFlags.BooleanLiteral)) return undefined;
  // The compiler distinguishes true from false publicly by their names alone.
  return (type as ts.Type & { readonly intrinsicName?: string }).intrinsicName === 'true';
}

/** The order in which the compiler lists a union depends on what else it has read; the sorted one does not. */
function enumOf(values: readonly (string | number | boolean)[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value))].sort();
  const [type] = types;
  return { type: types.length === 1 && type ? type : types, enum: [...values].sort() };
}

function nullable(parts: readonly JsonSchema[], isNullable: boolean): JsonSchema {
  const [only] = parts;
  if (only && parts.length === 1) {
    if (!isNullable) return only;
    if (only.type !== undefined && only.properties === undefined && only.items === undefined) {
      const values: readonly JsonScalar[] | undefined = only.enum && [...only.enum, null];
      return { ...only, type: [only.type, 'null'].flat(), ...(values ? { enum: values } : {}) };
    }
  }
  const sorted = [...parts].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { anyOf: isNullable ? [...sorted, { type: 'null' }] : sorted };
}
