import { isDeepStrictEqual } from 'node:util';
import { resolved, type JsonScalar, type JsonSchema } from './json-schema.js';

/**
 * What of a payload's new schema breaks those who know the frozen one, a sentence each; empty when nothing does.
 *
 * Only a new optional property passes. Everything else breaks a consumer: those of the former release get what they
 * cannot read (a wider enumeration, a null, a missing field), or today's get the past, which streams and
 * outboxes keep for days (a narrower enumeration, a field that is required from now on). Order and names of types do not
 * travel, and so they do not matter.
 */
export function breakingChanges(frozen: JsonSchema, current: JsonSchema): readonly string[] {
  return new Comparison(frozen, current).compare('', frozen, current);
}

/** A payload's schema without what does not travel: the form in which it is frozen. */
export function wireShape(schema: JsonSchema): JsonSchema {
  const { description: _description, ...rest } = schema;
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]: [string, unknown]) => {
      if (keyword === 'properties' || keyword === 'definitions') return [keyword, mapped(value, wireShape)];
      if (keyword === 'anyOf') return [keyword, (value as readonly JsonSchema[]).map(wireShape)];
      const isSchema = keyword === 'items' || keyword === 'additionalProperties';
      return [keyword, isSchema ? wireShape(value as JsonSchema) : value];
    }),
  );
}

class Comparison {
  /** Pairs under comparison: a type that holds itself is compared once. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly frozenRoot: JsonSchema,
    private readonly currentRoot: JsonSchema,
  ) {}

  compare(path: string, frozenAt: JsonSchema, currentAt: JsonSchema): readonly string[] {
    if (frozenAt.$ref !== undefined && currentAt.$ref !== undefined) {
      const pair = `${frozenAt.$ref} ${currentAt.$ref}`;
      if (this.seen.has(pair)) return [];
      this.seen.add(pair);
    }
    const frozen = withoutNull(resolved(frozenAt, this.frozenRoot));
    const current = withoutNull(resolved(currentAt, this.currentRoot));
    const field = path === '' ? 'it' : `\`${path.slice(1)}\``;
    if (frozen.isNullable !== current.isNullable) {
      const change = current.isNullable ? 'may be null now' : 'may no longer be null';
      return [`${field} ${change}`, ...this.comparePresent(field, path, frozen.present, current.present)];
    }
    return this.comparePresent(field, path, frozen.present, current.present);
  }

  private comparePresent(field: string, path: string, frozenAt: JsonSchema, currentAt: JsonSchema): readonly string[] {
    const frozen = resolved(frozenAt, this.frozenRoot);
    const current = resolved(currentAt, this.currentRoot);
    if (frozen.anyOf && current.anyOf) return this.compareBranches(field, path, frozen.anyOf, current.anyOf);
    if (!isDeepStrictEqual(scalarParts(frozen), scalarParts(current))) return [`${field} ${change(frozen, current)}`];
    return [
      ...this.compareEnums(field, frozen.enum, current.enum),
      ...this.compareProperties(path, frozen, current),
      ...this.compareNested(field, `${path}[]`, frozen.items, current.items),
      ...this.compareNested(field, `${path}[*]`, frozen.additionalProperties, current.additionalProperties),
    ];
  }

  private compareEnums(field: string, frozen?: readonly JsonScalar[], current?: readonly JsonScalar[]): string[] {
    const gone = (frozen ?? []).filter((value) => !(current ?? []).includes(value));
    const added = (current ?? []).filter((value) => !(frozen ?? []).includes(value));
    return [
      ...gone.map((value) => `${field} may no longer be \`${value}\``),
      ...added.map((value) => `${field} may be \`${value}\` now`),
    ];
  }

  private compareProperties(path: string, frozen: JsonSchema, current: JsonSchema): readonly string[] {
    const known = Object.entries(frozen.properties ?? {}).flatMap(([name, schema]) => {
      const now = current.properties?.[name];
      const field = `\`${`${path}.${name}`.slice(1)}\``;
      if (!now) return [`${field} is gone`];
      const wasRequired = frozen.required?.includes(name) === true;
      const isRequired = current.required?.includes(name) === true;
      const requirement = isRequired ? 'is required now' : 'is no longer required';
      return [
        ...(wasRequired === isRequired ? [] : [`${field} ${requirement}`]),
        ...this.compare(`${path}.${name}`, schema, now),
      ];
    });
    const added = Object.keys(current.properties ?? {}).filter((name) => !(name in (frozen.properties ?? {})));
    const demanded = added.filter((name) => current.required?.includes(name));
    return [...known, ...demanded.map((name) => `\`${`${path}.${name}`.slice(1)}\` is new and required`)];
  }

  private compareNested(field: string, path: string, frozen?: JsonSchema, current?: JsonSchema): readonly string[] {
    if (frozen && current) return this.compare(path, frozen, current);
    return frozen || current ? [`${field} changed in what it holds`] : [];
  }

  /** The branches of a union have no names and no order: each must have its like. */
  private compareBranches(
    field: string,
    path: string,
    frozen: readonly JsonSchema[],
    current: readonly JsonSchema[],
  ): readonly string[] {
    const left = [...current];
    for (const branch of frozen) {
      const like = left.findIndex((other) => this.apart().compare(path, branch, other).length === 0);
      if (like >= 0) left.splice(like, 1);
      else return [`${field} changed in one of its alternatives`];
    }
    return left.length === 0 ? [] : [`${field} has a new alternative`];
  }

  /** A trial that leaves no trace when it fails. */
  private apart(): Comparison {
    return new Comparison(this.frozenRoot, this.currentRoot);
  }
}

/** Parts a schema from its null, which three keywords may say. */
function withoutNull(schema: JsonSchema): { readonly isNullable: boolean; readonly present: JsonSchema } {
  const { type, anyOf } = schema;
  if (anyOf) {
    const others = anyOf.filter((branch) => branch.type !== 'null');
    const [only] = others;
    const present = only && others.length === 1 ? only : { ...schema, anyOf: others };
    return { isNullable: others.length < anyOf.length, present };
  }
  if (!Array.isArray(type) || !type.includes('null')) return { isNullable: false, present: schema };
  const types = type.filter((one: string) => one !== 'null');
  const present = { ...schema, type: types.length === 1 ? types[0] : types };
  const { enum: values, ...rest } = present;
  return { isNullable: true, present: values ? { ...rest, enum: values.filter((value) => value !== null) } : rest };
}

/** What must be the same in both, as a whole. */
function scalarParts({ type, pattern, format, enum: values, anyOf }: JsonSchema): unknown {
  return { type, pattern, format, isEnum: values !== undefined, isUnion: anyOf !== undefined };
}

function change(frozen: JsonSchema, current: JsonSchema): string {
  return `changed from ${shown(frozen)} to ${shown(current)}`;
}

function shown({ type, pattern, format, enum: values, anyOf }: JsonSchema): string {
  if (anyOf) return 'alternatives';
  if (values) return `one of ${values.join(', ')}`;
  const form = format ?? pattern;
  return type === undefined ? 'anything' : [type].flat().join(' or ') + (form === undefined ? '' : ` (${form})`);
}

function mapped(value: unknown, map: (schema: JsonSchema) => JsonSchema): Record<string, JsonSchema> {
  const entries = Object.entries(value as Record<string, JsonSchema>);
  return Object.fromEntries(entries.map(([name, schema]) => [name, map(schema)]));
}
