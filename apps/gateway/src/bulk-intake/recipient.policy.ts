import { parsePhone } from '@switchboard/phone';
import type { BulkRecipient } from '@switchboard/contracts/templates/job-rpc';
import { fieldHints } from '../http/input/field-hint.policy.js';
import { isJsonObject } from '../http/json-body.policy.js';

/** Lengths in Unicode code points. Source: docs/api-behaviour.md#bulk-sends-create. */
export const recipientLimits = {
  to: { min: 3, max: 32 },
  variable: { min: 1, max: 1_024 },
  clientReference: { min: 1, max: 128 },
  metadata: { entriesMax: 16, nameMax: 40, valueMax: 500 },
} as const;

/**
 * What is wrong with the shape of a recipient: the field and what was expected of it; null when nothing is. Whether `to`
 * is a number and the variables are those of the template depends on channel and template, and is judged later.
 */
export function recipientProblem(value: unknown): { readonly field: string; readonly expected: string } | null {
  if (!isJsonObject(value)) return { field: '', expected: 'must be an object' };
  const { to, variables, clientReference, metadata } = ownFields(value);
  if (!isText(to, recipientLimits.to)) return { field: 'to', expected: toProblem(value, to) };
  if (!areVariables(variables)) {
    return {
      field: 'variables',
      expected: 'must be an array or an object of strings, each 1 to 1024 characters long, or null',
    };
  }
  if (clientReference !== null && !isText(clientReference, recipientLimits.clientReference)) {
    return { field: 'clientReference', expected: 'must be 1 to 128 characters long or null' };
  }
  if (metadata !== null && !isMetadata(metadata)) {
    const expected =
      'must be null or an object of at most 16 strings, names of 1 to 40 and values of at most 500 characters';
    return { field: 'metadata', expected };
  }
  return null;
}

function toProblem(recipient: object, to: unknown): string {
  if (!Object.hasOwn(recipient, 'to')) {
    return `is required${fieldHints(Object.keys(recipient), ['to', 'variables', 'clientReference', 'metadata'])}`;
  }
  return typeof to === 'string' ? 'must be 3 to 32 characters long' : 'must be a string';
}

/** A recipient without a problem as templates takes it, its number read as far as that needs no region. */
export function readRecipient(value: object): BulkRecipient {
  const { to, variables, clientReference, metadata } = ownFields(value) as Omit<BulkRecipient, 'phone'>;
  const parsed = parsePhone(to);
  const phone = parsed && { e164: parsed.phone, subscriber: parsed.aliases[0] ?? parsed.phone };
  return { to, phone, variables, clientReference, metadata };
}

/** Null in an optional field means the same as leaving it out; names of prototypes are no fields. */
function ownFields(value: object): Readonly<Record<'to' | 'variables' | 'clientReference' | 'metadata', unknown>> {
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : null);
  return {
    to: own('to'),
    variables: own('variables') ?? null,
    clientReference: own('clientReference') ?? null,
    metadata: own('metadata') ?? null,
  };
}

function areVariables(variables: unknown): boolean {
  if (variables === null) return true;
  if (Array.isArray(variables)) return variables.every((one) => isText(one, recipientLimits.variable));
  return isJsonObject(variables) && Object.values(variables).every((one) => isText(one, recipientLimits.variable));
}

function isMetadata(metadata: unknown): boolean {
  if (!isJsonObject(metadata)) return false;
  const { entriesMax, nameMax, valueMax } = recipientLimits.metadata;
  const entries = Object.entries(metadata);
  const isEntry = ([name, value]: [string, unknown]): boolean =>
    isText(name, { min: 1, max: nameMax }) && isText(value, { min: 0, max: valueMax });
  return entries.length <= entriesMax && entries.every(isEntry);
}

function isText(value: unknown, { min, max }: { readonly min: number; readonly max: number }): value is string {
  if (typeof value !== 'string' || value.length < min || value.length > max * 2) return false;
  // As many code units are never more code points.
  if (value.length <= max && value.length >= min * 2) return true;
  let length = 0;
  for (const _character of value) length++;
  return length >= min && length <= max;
}
