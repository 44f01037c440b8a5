import { isUtf8 } from 'node:buffer';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { jsonSizeOf } from './json-size.policy.js';

/** Levels of objects and arrays within a body. Source: docs/api-behaviour.md#unknown-fields. */
const DEPTH_MAX = 32;
/**
 * Values of a body, those of unknown fields too: each costs a microsecond or two to read, to check and to compare with an
 * earlier one, on the event loop. Source: docs/api-behaviour.md#unknown-fields.
 */
export const JSON_VALUES_MAX = 10_000;
/** Of a path in a sentence: names may be as long as the body. */
const PATH_SHOWN_MAX = 200;
const TOO_DEEP = `The body is nested deeper than ${DEPTH_MAX} levels`;

/**
 * Reads a body: well-formed UTF-8, well-formed JSON, an object, at most 32 levels deep, of few values, nothing that would
 * reach a prototype, and no text that the database or the provider could not take (NUL, lone surrogates).
 *
 * @param valuesMax that it may have, as `jsonSizeOf` counts them
 * @throws AppError MALFORMED_BODY or VALIDATION_FAILED
 */
export function parseJsonBody(bytes: Buffer, valuesMax = JSON_VALUES_MAX): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is empty; it must be JSON');
  if (!isUtf8(bytes)) throw new AppError(gatewayErrors.MALFORMED_BODY, 'The body is not well-formed UTF-8');
  const problem = costlyJson(bytes, { valuesMax, depthMax: DEPTH_MAX });
  if (problem !== null) throw refuse(problem);
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
 * What makes a JSON text too costly to read at all, found before it is read; null when nothing does.
 *
 * @throws AppError MALFORMED_BODY for a large text whose brackets do not end
 */
export function costlyJson(
  bytes: Uint8Array,
  { valuesMax, depthMax }: { readonly valuesMax: number; readonly depthMax: number },
): string | null {
  // Of a byte comes one value at most: a small text is read at once, and its levels are found then.
  if (bytes.length <= JSON_VALUES_MAX) return null;
  const { values, depth, isClosed } = jsonSizeOf(bytes);
  if (!isClosed) throw new AppError(gatewayErrors.MALFORMED_BODY);
  if (depth > depthMax) return TOO_DEEP;
  return values > valuesMax ? `The body has more than ${valuesMax} values` : null;
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
  throw refuse(problem.sentenceAt(pathTo(problem.steps, path)));
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
  if (depth > DEPTH_MAX) return found(() => TOO_DEEP);
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

/** @param steps the innermost first */
function pathTo(steps: Problem['steps'], path: string): string {
  let shown = path;
  for (const step of steps.toReversed()) {
    shown += stepText(step, shown);
    if (shown.length > PATH_SHOWN_MAX) return `${startOf(shown)}…`;
  }
  return shown;
}

/** Its first characters, none of them cut; a copy, since a part of a text keeps the whole in memory. */
function startOf(text: string): string {
  const start = text.slice(0, PATH_SHOWN_MAX).replace(/[\ud800-\udbff]$/, '');
  return Buffer.from(start).toString();
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
