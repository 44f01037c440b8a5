import { getMetadataStorage, IS_OPTIONAL, ValidationTypes } from 'class-validator';
import type { Json, JsonSchema } from '@switchboard/openapi';

/** A field of a body or a query: what the description says of it is what its decorators enforce. */
export interface DescribedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /** The class is another one's parent: several routes have the field. */
  readonly isInherited: boolean;
}

/** A class whose fields have the decorators of class-validator or of this folder. */
export type Shape<Input extends object = object> = new () => Input;

type ValidationMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

interface Documentation {
  readonly about: string;
  readonly default?: Json;
}

const documented = new WeakMap<object, Map<string, Documentation>>();

/** Describes a field for integrators, in whole sentences. @param given the value of a field that is left out */
export function About(about: string, given?: { readonly default: Json }): PropertyDecorator {
  return (prototype, name) => {
    const fields = documented.get(prototype) ?? new Map<string, Documentation>();
    documented.set(prototype, fields.set(String(name), { about, ...given }));
  };
}

/** What a rule of this folder keeps in class-validator's metadata: its part of the field's schema. */
export class RuleSchema {
  constructor(readonly schema: JsonSchema) {}
}

/** The rules of class-validator that are used here. */
const libraryRules: Readonly<Record<string, (constraints: readonly unknown[]) => JsonSchema>> = {
  isIn: ([words]) => ({ type: 'string', enum: [...(words as readonly string[])] }),
  isBoolean: () => ({ type: 'boolean' }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  arrayMaxSize: ([max]) => ({ type: 'array', maxItems: Number(max) }),
  arrayUnique: () => ({ type: 'array', uniqueItems: true }),
};

/** The fields of a shape, those of its parents last. @throws Error for a field or a rule that is not described: a bug */
export function describedFields(shape: Shape): readonly DescribedField[] {
  const rulesByName = Map.groupBy(
    getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false),
    ({ propertyName }) => propertyName,
  );
  return [...rulesByName].map(([name, rules]) => {
    const [first] = rules;
    const isOptional = rules.some(({ name: rule }) => rule === IS_OPTIONAL);
    return {
      name,
      isRequired: rules.every(({ type }) => type !== ValidationTypes.CONDITIONAL_VALIDATION),
      schema: schemaOf(shape, name, rules, isOptional),
      isInherited: first?.target !== shape,
    };
  });
}

function schemaOf(shape: Shape, name: string, rules: readonly ValidationMetadata[], isNullable: boolean): JsonSchema {
  const documentation = documentationOf(shape, name);
  if (!documentation) throw new Error(`${shape.name}.${name} is not described: add @About`);
  const form = Object.assign({}, ...rules.map((rule) => ruleSchema(shape, rule))) as JsonSchema;
  const words = form['enum'];
  return {
    ...form,
    ...(isNullable && { type: [form['type'] ?? 'string', 'null'] }),
    ...(isNullable && Array.isArray(words) && { enum: [...words, null] }),
    ...(documentation.default !== undefined && { default: documentation.default }),
    description: documentation.about,
  };
}

function ruleSchema(
  shape: Shape,
  { type, name = '', constraints, each, propertyName }: ValidationMetadata,
): JsonSchema {
  if (type === ValidationTypes.CONDITIONAL_VALIDATION) return {};
  const known: unknown = constraints?.[0];
  const schema = known instanceof RuleSchema ? known.schema : libraryRules[name]?.(constraints ?? []);
  if (!schema) throw new Error(`${shape.name}.${propertyName} has the rule ${name}, which has no JSON Schema here`);
  return each ? { type: 'array', items: schema } : schema;
}

function documentationOf(shape: Shape, name: string): Documentation | undefined {
  for (let prototype: unknown = shape.prototype; prototype; prototype = Object.getPrototypeOf(prototype)) {
    const found = documented.get(prototype)?.get(name);
    if (found) return found;
  }
  return undefined;
}
