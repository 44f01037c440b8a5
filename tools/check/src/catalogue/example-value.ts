import { createHash } from 'node:crypto';
import type { EventContract } from './catalogue.js';
import { resolved, type JsonSchema } from './json-schema.js';

/** A moment that no test takes for now. */
const MOMENT = '2026-02-03T04:05:06.789Z';

/**
 * A first example of an event, for a hand to make lifelike: required fields alone, null where null may be, ids by the names
 * of what they are ids of (`contact.id` is `contactId`), texts that name their field.
 */
export function exampleOf({ schema, aggregate }: EventContract): unknown {
  const envelope = valueOf(schema, schema, 'event', '');
  const ids = { organizationId: cuidOf('organizationId'), aggregateId: cuidOf(`${aggregate}Id`) };
  return { ...Object(envelope), ...ids };
}

function valueOf(root: JsonSchema, reference: JsonSchema, name: string, owner: string): unknown {
  const schema = resolved(reference, root);
  const types = [schema.type ?? []].flat();
  if (types.includes('null') || schema.anyOf?.some(({ type }) => type === 'null')) return null;
  const [branch] = schema.anyOf ?? [];
  if (branch) return valueOf(root, branch, name, owner);
  if (schema.enum) return schema.enum[0];
  if (schema.format === 'date-time') return MOMENT;
  if (schema.pattern?.startsWith('^c')) return cuidOf(name === 'id' ? `${owner}Id` : name);
  switch (types[0]) {
    case 'object': {
      const required = Object.entries(schema.properties ?? {}).filter(([field]) => schema.required?.includes(field));
      return Object.fromEntries(required.map(([field, part]) => [field, valueOf(root, part, field, name)]));
    }
    case 'array':
      return schema.items ? [valueOf(root, schema.items, name.replace(/s$/, ''), owner)] : [];
    case 'string':
      return name;
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return 1;
    default:
      return {};
  }
}

/** The same id for the same name, in the form of ours and of that moment. */
function cuidOf(name: string): string {
  const hash = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`).toString(36);
  return `cml62s3tx${hash.slice(0, 16)}`;
}
