import fc from 'fast-check';
import type { JsonSchema } from '../src/catalogue/json-schema.js';

const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }).map((list) => list.sort());
const names = fc.constantFrom('one', 'two', 'three');

const { object } = fc.letrec<{ any: JsonSchema; object: JsonSchema }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonSchema>(
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { type: 'string', format: 'date-time' },
    ),
    words.map((list): JsonSchema => ({ type: 'string', enum: list })),
    words.map((list): JsonSchema => ({ type: ['string', 'null'], enum: [...list, null] })),
    tie('any').map((items): JsonSchema => ({ type: 'array', items })),
    tie('object'),
    tie('object').map((one): JsonSchema => ({ anyOf: [one, { type: 'null' }] })),
  ),
  object: fc
    .tuple(fc.dictionary(names, tie('any'), { maxKeys: 3, noNullPrototype: true }), fc.infiniteStream(fc.boolean()))
    .map(([properties, coins]): JsonSchema => {
      const required = Object.keys(properties).filter(() => coins.next().value);
      return { type: 'object', properties, required };
    }),
}));

/** A payload's schema: an object of objects, lists, texts, enumerations, nulls. */
export const anySchema: fc.Arbitrary<JsonSchema> = object;

/** Values that the schema describes, with its optional fields or without. */
export function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { anyOf, enum: values, format, items, properties = {}, required = [] } = schema;
  if (anyOf) return fc.oneof(...anyOf.map(valueOf));
  if (values) return fc.constantFrom(...values);
  if (format) return fc.constant('2026-02-03T04:05:06.789Z');
  if (items) return fc.array(valueOf(items), { maxLength: 2 });
  const fields = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valueOf(part)]));
  const byType: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    object: fc.record(fields, { requiredKeys: [...required], noNullPrototype: true }),
    string: fc.string(),
    number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    boolean: fc.boolean(),
    null: fc.constant(null),
  };
  return fc.oneof(...[schema.type ?? []].flat().map((type) => byType[type] ?? fc.constant(undefined)));
}

/** The schema with one more optional field in one of its objects. */
export function grownSchema(schema: JsonSchema, choices: Iterator<number>): JsonSchema {
  const grow = (one: JsonSchema): JsonSchema => ({
    ...one,
    properties: { ...one.properties, grown: { type: 'number' } },
  });
  return at(
    schema,
    choices,
    (one) => one.type === 'object',
    () => [grow],
  );
}

/** The schema with one of the changes that are not allowed, somewhere. */
export function changedSchema(schema: JsonSchema, choices: Iterator<number>): JsonSchema {
  return at(schema, choices, () => true, changesOf);
}

type Change = (schema: JsonSchema) => JsonSchema;

function changesOf({ type, enum: values, anyOf, properties = {}, required = [] }: JsonSchema): readonly Change[] {
  if (anyOf) return [() => anyOf[0] ?? {}, () => ({ anyOf: [{ type: 'number' }, { type: 'null' }] })];
  if (values) {
    const fewer: Change = (one) => ({ ...one, enum: values.slice(1) });
    const isOneWord = values.filter((value) => value !== null).length === 1;
    const wider: Change = (one) => ({ ...one, enum: ['new', ...values] });
    return [() => ({ type: 'string' }), wider, ...(isOneWord ? [] : [fewer])];
  }
  if (type === 'object') {
    const [name] = Object.keys(properties);
    const add = (one: JsonSchema): JsonSchema => ({
      ...one,
      properties: { ...properties, added: {} },
      required: [...required, 'added'],
    });
    if (name === undefined) return [add];
    const { [name]: _removed, ...rest } = properties;
    const without = required.filter((one) => one !== name);
    const toggled = required.includes(name) ? without : [...required, name];
    return [add, (one) => ({ ...one, properties: rest, required: without }), (one) => ({ ...one, required: toggled })];
  }
  if (type === 'array') return [() => ({ type: 'number' }), () => ({ type: 'array' })];
  const isNullable = Array.isArray(type);
  return [(one) => ({ ...one, type: isNullable ? 'string' : [type ?? 'string', 'null'].flat() }), () => ({})];
}

/** Changes one part of the schema, which the choices choose among those that fit. */
function at(
  schema: JsonSchema,
  choices: Iterator<number>,
  fits: (part: JsonSchema) => boolean,
  changes: (part: JsonSchema) => readonly Change[],
): JsonSchema {
  const parts = partsOf(schema).filter(fits);
  const chosen = pick(parts, choices) ?? schema;
  const change = pick(changes(chosen), choices);
  return change ? replaced(schema, chosen, change(chosen)) : schema;
}

/** Not into the null of a nullable object: that is one part with it. */
function partsOf(schema: JsonSchema): JsonSchema[] {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  const branches = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return [schema, ...[...inner, ...branches].flatMap(partsOf)];
}

function replaced(schema: JsonSchema, from: JsonSchema, to: JsonSchema): JsonSchema {
  if (schema === from) return to;
  const { properties, items, anyOf } = schema;
  const entries = Object.entries(properties ?? {}).map(([name, part]) => [name, replaced(part, from, to)] as const);
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(entries) } : {}),
    ...(items ? { items: replaced(items, from, to) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((part) => replaced(part, from, to)) } : {}),
  };
}

function pick<T>(list: readonly T[], choices: Iterator<number>): T | undefined {
  return list[(choices.next().value ?? 0) % list.length];
}
