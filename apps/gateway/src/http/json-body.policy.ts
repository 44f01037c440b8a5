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
  const problem = problemIn(value, depth);
  if (!problem) return;
  const at = problem.steps.reduceRight<string>((before, step) => before + stepText(step, before), path);
  throw refuse(problem.sentenceAt(at));
}

/** What a body must not hold, and where. */
interface Problem {
  /** Names and indexes that lead to it, the innermost first. */
  readonly steps: (string | number)[];
  readonly sentenceAt: (path: string) => string;
}

/** The steps are gathered on the way back, so that a body without a problem costs no path of a field. */
function problemIn(value: unknown, depth: number): Problem | null {
  if (typeof value === 'string') return problemOfText(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEPTH_MAX) return found(() => `The body is nested deeper than ${DEPTH_MAX} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = problemIn(value[index], depth + 1);
      if (problem) return within(problem, index);
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    const problem = problemOfName(name);
    if (problem) return problem;
    const inner = problemIn(Reflect.get(value, name), depth + 1);
    if (inner) return within(inner, name);
  }
  return null;
}

function problemOfName(name: string): Problem | null {
  // Copied onto another object, it would change its prototype.
  if (name === '__proto__') return found(() => '`__proto__` is not allowed as the name of a field');
  return problemOfText(name);
}

function problemOfText(text: string): Problem | null {
  const at = (path: string): string => `\`${path || 'the body'}\``;
  if (text.includes('\u0000')) return found((path) => `${at(path)} must not contain the character NUL`);
  if (!text.isWellFormed()) return found((path) => `${at(path)} must not contain lone surrogates`);
  return null;
}

function found(sentenceAt: Problem['sentenceAt']): Problem {
  return { steps: [], sentenceAt };
}

function within(problem: Problem, step: string | number): Problem {
  problem.steps.push(step);
  return problem;
}

function stepText(step: string | number, path: string): string {
  if (typeof step === 'number') return `[${step}]`;
  return path === '' ? step : `.${step}`;
}

/** True for a JSON object, false for an array and null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(message: string): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, message);
}
