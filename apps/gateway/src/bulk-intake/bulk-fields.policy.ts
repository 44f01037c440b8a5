import { fieldHints } from '../http/input/field-hint.policy.js';
import { isJsonObject } from '../http/json-body.policy.js';
import type { BulkSendFields } from './send-template.body.js';

/** All but the recipients. The class itself would bring the validation into the thread. */
const fieldNames = Object.keys({
  templateId: true,
  template: true,
  messagingChannelId: true,
  throttlePerHour: true,
  scheduledAt: true,
} satisfies Record<keyof BulkSendFields, true>);
const templateFieldNames = ['name', 'language'] satisfies (keyof NonNullable<BulkSendFields['template']>)[];

/** What is handed over of a body apart from its recipients: a few short values, whatever else the body holds. */
export interface SlimFields {
  /** Those that a bulk send has and the body gives. A value that none of them takes may have lost what it held. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** As `fieldHints`, for a refusal of the fields. */
  readonly hints: string;
}

/**
 * The fields of a bulk send as their check needs them: it finds to the letter what it would find in the body's own. They are cloned into
 * the event loop, which would stand still for 0.1 to 0.3 s where all else of a body were too. ADR 0043.
 */
export function slimFields(body: Readonly<Record<string, unknown>>): SlimFields {
  const fields = pick(body, fieldNames);
  const { template } = body;
  if (isJsonObject(template)) fields['template'] = pick(template, templateFieldNames);
  return { fields, hints: fieldHints(Object.keys(body), fieldNames) };
}

function pick(source: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const given = names.filter((name) => Object.hasOwn(source, name));
  return Object.fromEntries(given.map((name) => [name, emptied(source[name])]));
}

/** No field but `template` takes an object or an array, whatever is in it. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isJsonObject(value) ? {} : value;
}
