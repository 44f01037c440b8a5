import { isUtf8 } from 'node:buffer';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';

/** Levels of objects and arrays within a body. Source: docs/api-behaviour.md#unknown-fields. */
const DEPTH_MAX = 32;

/**
 * Reads a body: well-formed UTF-8, well-formed JSON, an object, at most 32 levels deep, nothing that would reach a
 * prototype, and no text that the database or the provider could not take (NUL, lone surrogates).
 *
 * @throws AppError MALFORMED_BODY or VALIDATION_FAILED
 */
export function parseJsonBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is empty; it must be JSON');
  if (!isUtf8(bytes)) throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is not well-formed UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError(gatewayErrors.MALFORMED_BODY, undefined, { cause });
  }
  if (!isJsonObject(value)) throw refuse('The body must be a JSON object');
  checkJson(value, '', 1);
  return value;
}

/**
 * Refuses what no part of a body may hold: levels too deep, names that reach a prototype, NUL, lone surrogates.
 *
 * @param path of the value in its body; empty: the body itself
 * @param depth 1 for the body itself
 * @throws AppError VALIDATION_FAILED
 */
export function checkJson(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') checkText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEPTH_MAX) throw refuse(`The body is nested deeper than ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) {
    value.forEach((item, index) => checkJson(item, `${path}[${index}]`, depth + 1));
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    checkText(name, path || 'the body');
    // Copied onto another object, it would change its prototype.
    if (name === '__proto__') throw refuse('`__proto__` is not allowed as the name of a field');
    checkJson(item, path === '' ? name : `${path}.${name}`, depth + 1);
  }
}

function checkText(text: string, path: string): void {
  if (text.includes('\u0000')) throw refuse(`\`${path}\` must not contain the character NUL`);
  if (!text.isWellFormed()) throw refuse(`\`${path}\` must not contain lone surrogates`);
}

/** True for a JSON object, false for an array and null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(message: string): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, message);
}
