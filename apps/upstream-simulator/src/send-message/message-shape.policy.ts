import { asObject, asText, type JsonObject } from '../json/json-value.js';

/** A request to send that has the provider's shape. */
export interface MessageRequest {
  readonly to: string;
  readonly type: string;
  readonly reference: string | null;
  /** The template's part of the body; null for every other type. */
  readonly template: TemplateRequest | null;
}

/** The template that a request names, with its components as they came. */
export interface TemplateRequest {
  readonly name: string;
  readonly language: string;
  readonly components: readonly JsonObject[];
}

/** What is wrong with a request: the provider's code and its explanation. */
export interface ShapeFault {
  readonly code: number;
  readonly details: string;
}

const TEXT_LENGTH_MAX = 4096;
const DIGITS_MIN = 7;
const DIGITS_MAX = 15;
const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'document', 'sticker']);
const TYPES: readonly string[] = [
  'text',
  'template',
  ...MEDIA_TYPES,
  'location',
  'contacts',
  'interactive',
  'reaction',
];

/**
 * The request in a parsed body, or the provider's complaint about its shape. Text and templates are checked in full,
 * other types only for the presence of their part.
 */
export function readMessage(parsed: unknown): MessageRequest | ShapeFault {
  const body = asObject(parsed);
  if (!body) return fault(100, 'The request body must be a JSON object');
  if (body['messaging_product'] !== 'whatsapp') return fault(100, 'The parameter messaging_product is required.');
  if ((body['recipient_type'] ?? 'individual') !== 'individual') {
    return fault(100, "Param recipient_type must be one of {'INDIVIDUAL'}");
  }
  const to = asText(body['to']);
  if (to === undefined) return fault(100, 'The parameter to is required.');
  const digits = to.replaceAll(/[\s+().-]/g, '');
  if (!/^\d+$/.test(digits) || digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) {
    return fault(131009, 'Recipient phone number is not valid');
  }
  const reference = body['biz_opaque_callback_data'] ?? null;
  if (reference !== null && (typeof reference !== 'string' || reference.length > 512)) {
    return fault(100, 'Param biz_opaque_callback_data must be a string of at most 512 characters');
  }
  const type = body['type'] ?? 'text';
  if (typeof type !== 'string' || !TYPES.includes(type)) {
    return fault(100, `Param type must be one of {${TYPES.join(', ').toUpperCase()}}`);
  }
  const part = body[type];
  if (part === undefined) return fault(131008, `The parameter ${type} is required for type ${type}.`);
  const template = type === 'template' ? readTemplate(part) : null;
  if (template && 'code' in template) return template;
  return partFault(type, part) ?? { to, type, reference, template };
}

function partFault(type: string, part: unknown): ShapeFault | undefined {
  if (type === 'contacts') {
    return Array.isArray(part) && part.length > 0 ? undefined : fault(100, 'Param contacts must be a non-empty array');
  }
  const content = asObject(part);
  if (!content) return fault(100, `Param ${type} must be a JSON object`);
  if (type === 'text') {
    const text = content['body'];
    if (typeof text !== 'string' || text === '') return fault(131008, "The parameter text['body'] is required.");
    // The provider counts characters, not UTF-16 units; most texts are short enough for the cheap test.
    if (text.length > TEXT_LENGTH_MAX && [...text].length > TEXT_LENGTH_MAX) {
      return fault(100, `Param text['body'] must be at most ${TEXT_LENGTH_MAX} characters long.`);
    }
  }
  if (MEDIA_TYPES.has(type) && asText(content['id']) === undefined && asText(content['link']) === undefined) {
    return fault(131008, `The parameter ${type}['id'] or ${type}['link'] is required.`);
  }
  return undefined;
}

function readTemplate(part: unknown): TemplateRequest | ShapeFault {
  const template = asObject(part);
  if (!template) return fault(100, 'Param template must be a JSON object');
  const name = asText(template['name']);
  if (name === undefined) return fault(131008, "The parameter template['name'] is required.");
  const language = asText(asObject(template['language'])?.['code']);
  if (language === undefined) return fault(131008, "The parameter template['language']['code'] is required.");
  const components = template['components'] ?? [];
  if (!Array.isArray(components)) return fault(100, "Param template['components'] must be an array");
  const read: JsonObject[] = [];
  for (const item of components) {
    const component = asObject(item);
    if (component === undefined || asText(component['type']) === undefined) {
      return fault(131008, "The parameter template['components']['type'] is required.");
    }
    read.push(component);
  }
  return { name, language, components: read };
}

function fault(code: number, details: string): ShapeFault {
  return { code, details };
}
