import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { Shape } from './field-description.js';

const fieldsByShape = new WeakMap<Shape, readonly string[]>();

/** Reads the fields of a JSON body; what the shape does not know is ignored. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readBody<Input extends object>(shape: Shape<Input>, request: FastifyRequest): Input {
  const { body } = request;
  if (typeof body !== 'object' || body === null) {
    throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is empty; it must be a JSON object');
  }
  return validated(shape, body, () => undefined);
}

/** Reads the query parameters that the shape knows, each at most once and never empty. @throws AppError VALIDATION_FAILED */
export function readQuery<Input extends object>(shape: Shape<Input>, request: FastifyRequest): Input {
  const { query } = request;
  const garbled = garbledParameters(request.raw.url ?? '');
  return validated(shape, typeof query === 'object' && query !== null ? query : {}, (name, value) => {
    if (Array.isArray(value)) throw refuse(`\`${name}\` must be given once`);
    if (value === '') throw refuse(`\`${name}\` must not be empty`);
    if (garbled.has(name)) throw refuse(`\`${name}\` must be percent-encoded UTF-8`);
    if (typeof value === 'string' && value.includes('\0'))
      throw refuse(`\`${name}\` must not contain the character NUL`);
  });
}

/** Reads the path's `id`. @throws AppError VALIDATION_FAILED */
export function readId(request: FastifyRequest): string {
  const { params } = request;
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined;
  if (!isCuid(id)) throw refuse('`id` must be a cuid');
  return id;
}

/** Parameters whose value does not decode: bytes that are no UTF-8, lone surrogates among them. Fastify passes them raw. */
function garbledParameters(target: string): ReadonlySet<string> {
  const garbled = new Set<string>();
  if (isDecodable(target)) return garbled;
  for (const pair of target.slice(target.indexOf('?') + 1).split('&')) {
    const [name = '', value = ''] = pair.split('=', 2);
    if (!isDecodable(value)) garbled.add(name);
  }
  return garbled;
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

function validated<Input extends object>(
  shape: Shape<Input>,
  source: object,
  inspect: (name: string, value: unknown) => void,
): Input {
  const input = new shape();
  for (const name of fieldsOf(shape)) {
    const value: unknown = Object.hasOwn(source, name) ? Reflect.get(source, name) : undefined;
    inspect(name, value);
    Reflect.set(input, name, value);
  }
  const problems = validateSync(input, { stopAtFirstError: true });
  if (problems.length === 0) return input;
  throw refuse(problems.flatMap(({ constraints }) => Object.values(constraints ?? {})).join('; '));
}

function fieldsOf(shape: Shape): readonly string[] {
  let fields = fieldsByShape.get(shape);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    fields = [...new Set(rules.map(({ propertyName }) => propertyName))];
    fieldsByShape.set(shape, fields);
  }
  return fields;
}

function refuse(message: string): AppError {
  return new AppError(gatewayErrors.VALIDATION_FAILED, message);
}
