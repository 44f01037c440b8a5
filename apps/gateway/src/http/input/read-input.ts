import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { plainToInstance } from 'class-transformer';
import type { JsonSchema } from '@switchboard/openapi';
import { getMetadataStorage, IS_OPTIONAL, validateSync, type ValidationError } from 'class-validator';
import { describedFields, type Shape } from './field-description.js';
import { fieldHints } from './field-hint.policy.js';

const fieldsByShape = new WeakMap<Shape, readonly string[]>();

/** Reads the fields of a JSON body; unknown fields are ignored. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readBody<Input extends object>(shape: Shape<Input>, body: unknown): Input {
  if (typeof body !== 'object' || body === null) {
    throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is empty; it must be a JSON object');
  }
  const input = new shape();
  // Fields of JSON have their types already: class-transformer would only copy them, at some microseconds a request.
  for (const name of fieldsOf(shape)) {
    Reflect.set(input, name, Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined);
  }
  const problems = problemsOf(input);
  if (problems.length === 0) return input;
  throw refuse(problems.map(sentenceOf).join('; ') + fieldHints(Object.keys(body), fieldsOf(shape)));
}

/**
 * Reads the query parameters that the shape knows, each at most once and never empty, and transforms their texts.
 *
 * @param target the request target, for what Fastify could not decode
 * @throws AppError VALIDATION_FAILED
 */
export function readQuery<Input extends object>(shape: Shape<Input>, query: unknown, target: string): Input {
  const source = typeof query === 'object' && query !== null ? query : {};
  const undecodable = undecodableParameters(target);
  const texts: Record<string, string> = {};
  for (const name of fieldsOf(shape)) {
    const value: unknown = Object.hasOwn(source, name) ? Reflect.get(source, name) : undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string') throw refuse(`\`${name}\` must be given once`);
    if (value === '') throw refuse(`\`${name}\` must not be empty`);
    if (undecodable.has(name)) throw refuse(`\`${name}\` must be percent-encoded UTF-8`);
    if (value.includes('\0')) throw refuse(`\`${name}\` must not contain the character NUL`);
    texts[name] = value;
  }
  const input = plainToInstance(shape, texts);
  const problems = problemsOf(input);
  if (problems.length === 0) return input;
  throw refuse(problems.flatMap(sentencesOf).join('; '));
}

/** Parameters whose value does not decode: bytes that are no UTF-8, lone surrogates among them. Fastify passes them raw. */
function undecodableParameters(target: string): ReadonlySet<string> {
  const undecodable = new Set<string>();
  if (isDecodable(target)) return undecodable;
  for (const pair of target.slice(target.indexOf('?') + 1).split('&')) {
    const end = pair.indexOf('=');
    const [name, value] = end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
    // A name may be encoded as well.
    if (!isDecodable(value)) undecodable.add(isDecodable(name) ? decodeURIComponent(name) : name);
  }
  return undecodable;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // Its only error is a URIError: the text is not well-formed.
    return false;
  }
}

function problemsOf(input: object): readonly ValidationError[] {
  return validateSync(input, { stopAtFirstError: true });
}

/** Of a body: what is missing and what is of another type is said before any rule of length or form. */
function sentenceOf(problem: ValidationError): string {
  const { property, value, target } = problem;
  if (value === undefined) return `\`${property}\` is required`;
  const field = describedFields((target?.constructor ?? Object) as Shape).find(({ name }) => name === property);
  const expected = typeProblem(value, field?.schema);
  if (expected === null) return sentencesOf(problem).join('; ');
  return `\`${property}\` ${expected}${field?.isRequired ? '' : ' or null'}`;
}

/** A text, a truth value or a list that is something else; null for the right type, and where the rule itself names it. */
function typeProblem(value: unknown, schema: JsonSchema = {}): string | null {
  const [type] = [schema['type']].flat();
  if (type === 'string' && schema['enum'] === undefined && typeof value !== 'string') return 'must be a string';
  if (type === 'array' && !Array.isArray(value)) return 'must be an array';
  if (type === 'boolean' && typeof value !== 'boolean') return 'must be true or false';
  return null;
}

/** The sentences of class-validator, with the field's name as code and null where the field takes it. */
function sentencesOf({ property, constraints, target }: ValidationError): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(target?.constructor ?? Object, '', false, false);
  const isNullable = rules.some(({ propertyName, name }) => propertyName === property && name === IS_OPTIONAL);
  const sentences = Object.values(constraints ?? {}).map((one) =>
    one
      .replace('one of the following values:', 'one of')
      .replace('should not be empty', 'must have at least one element'),
  );
  return sentences.map((sentence) => {
    const named = sentence.replace(property, `\`${property}\``);
    return isNullable ? orNull(named) : named;
  });
}

function orNull(sentence: string): string {
  // What it says of an object ends with its values, which are not meant; nor are the elements of a list.
  if (sentence.includes(' must be an object ')) return sentence.replace(' must be ', ' must be null or ');
  if (/^(each value in|All) /.test(sentence)) return sentence;
  return sentence.includes(' must be ') ? `${sentence} or null` : `${sentence} or be null`;
}

/** The names of a shape's fields. */
export function fieldsOf(shape: Shape): readonly string[] {
  let fields = fieldsByShape.get(shape);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
    fieldsByShape.set(shape, fields);
  }
  return fields;
}

function refuse(message: string): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, message);
}
