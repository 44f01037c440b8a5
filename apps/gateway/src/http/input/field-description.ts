import { getMetadataStorage } from 'class-validator';
import type { Json, JsonSchema } from '@switchboard/openapi';

/** What a field's rule is told by whoever declares the field. */
export interface FieldOptions {
  /** What the field means, for integrators: whole sentences. */
  readonly about: string;
  /** It may be left out. */
  readonly optional?: true;
  /** It may be null. */
  readonly nullable?: true;
  /** What it is taken for when it is left out. */
  readonly default?: Json;
}

/** A field of a body or a query, as its rule describes it: what the description says is what the rule enforces. */
export interface DescribedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /** The class is another one's parent: the field is of several routes. */
  readonly isInherited: boolean;
}

/** A class whose decorated fields say what is accepted. */
export type Shape<Input extends object = object> = new () => Input;

/** What a rule keeps in class-validator's metadata, as its only constraint. */
export class FieldRule {
  readonly isRequired: boolean;
  readonly schema: JsonSchema;

  constructor(form: JsonSchema, { about, optional, nullable, default: given }: FieldOptions) {
    this.isRequired = optional !== true;
    const words = form['enum'];
    this.schema = {
      ...form,
      ...(nullable && { type: [form['type'] ?? 'string', 'null'] }),
      ...(nullable && Array.isArray(words) && { enum: [...words, null] }),
      ...(given !== undefined && { default: given }),
      description: about,
    };
  }
}

/** The fields of a shape, those of its parents last. @throws Error for a rule that describes nothing: a bug */
export function describedFields(shape: Shape): readonly DescribedField[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(shape, '', false, false)
    .map(({ propertyName: name, target, constraints }) => {
      const rule: unknown = constraints?.[0];
      if (!(rule instanceof FieldRule)) throw new Error(`${shape.name}.${name} has a rule that describes nothing`);
      return { name, isRequired: rule.isRequired, schema: rule.schema, isInherited: target !== shape };
    });
}
