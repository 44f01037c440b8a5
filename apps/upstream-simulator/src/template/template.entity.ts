import { createHash } from 'node:crypto';
import { ControlRefusal } from '../control/control-refusal.js';
import { asObject, asText, type JsonObject } from '../json/json-value.js';

/** A message template as the provider lists it; `components` are passed through as they are. */
export interface Template {
  readonly id: string;
  readonly name: string;
  readonly parameter_format: 'POSITIONAL' | 'NAMED';
  readonly components: readonly JsonObject[];
  readonly language: string;
  readonly status: string;
  readonly category: string;
}

/** A template before it belongs to an account: the provider's id is made per account when none is given. */
export type TemplateDraft = Omit<Template, 'id'> & { readonly id?: string };

/** The templates of every account that has been given none of its own. The first is approved, positional, text only, with two variables. */
export const DEFAULT_TEMPLATES: readonly TemplateDraft[] = [
  draft('order_confirmation', 'en_US', 'UTILITY', [
    body('Hello {{1}}, your order {{2}} is confirmed.', { body_text: [['Ada', 'A-1001']] }),
  ]),
  draft('order_confirmation', 'es', 'UTILITY', [
    body('Hola {{1}}, tu pedido {{2}} está confirmado.', { body_text: [['Ada', 'A-1001']] }),
  ]),
  draft('welcome', 'en_US', 'UTILITY', [body('Welcome aboard.'), { type: 'FOOTER', text: 'Reply STOP to opt out' }]),
  {
    ...draft('appointment_reminder', 'en_US', 'UTILITY', [
      body('Hello {{first_name}}, see you on {{date}}.', {
        body_text_named_params: [
          { param_name: 'first_name', example: 'Ada' },
          { param_name: 'date', example: 'Friday' },
        ],
      }),
    ]),
    parameter_format: 'NAMED',
  },
  draft('seasonal_promotion', 'en_US', 'MARKETING', [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://example.com/season.png'] } },
    body('Our {{1}} is on. Use code {{2}}.', { body_text: [['summer sale', 'SUN25']] }),
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop promotions' }] },
  ]),
  { ...draft('loyalty_update', 'en_US', 'MARKETING', [body('You have {{1}} points.')]), status: 'PENDING' },
  { ...draft('abandoned_cart', 'en_US', 'MARKETING', [body('Still thinking?')]), status: 'REJECTED' },
  { ...draft('back_in_stock', 'en_US', 'MARKETING', [body('It is back.')]), status: 'PAUSED' },
  draft('order_shipped', 'en_US', 'UTILITY', [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-1001'] } },
    body('Hello {{1}}, your order is on its way.', { body_text: [['Ada']] }),
    { type: 'FOOTER', text: 'Reply STOP to opt out' },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/track/{{1}}', example: ['A-1001'] }],
    },
  ]),
  {
    ...draft('event_invitation', 'en_US', 'MARKETING', [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'See you in {{city}}',
        example: { header_text_named_params: [{ param_name: 'city', example: 'Berlin' }] },
      },
      body('Hello {{first_name}}, your seat is {{seat}}.', {
        body_text_named_params: [
          { param_name: 'first_name', example: 'Ada' },
          { param_name: 'seat', example: '12A' },
        ],
      }),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I will be there' },
          { type: 'URL', text: 'Ticket', url: 'https://example.com/tickets/{{1}}', example: ['A-1001'] },
        ],
      },
    ]),
    parameter_format: 'NAMED',
  },
  { ...draft('survey', 'en_US', 'MARKETING', [body('How did you like it?')]), status: 'DISABLED' },
  { ...draft('anniversary', 'en_US', 'MARKETING', [body('One year already, {{1}}.')]), status: 'DRAFT' },
];

/** The drafts in `value`; `parameter_format`, `status` and `category` may be left out. @throws ControlRefusal naming the field. */
export function parseTemplates(value: unknown, field: string): readonly TemplateDraft[] {
  if (!Array.isArray(value)) throw new ControlRefusal(field, 'must be an array of templates');
  return value.map((item: unknown, at) => {
    const template = asObject(item);
    const path = `${field}[${at}]`;
    if (!template) throw new ControlRefusal(path, 'must be an object');
    const name = asText(template['name']);
    const language = asText(template['language']);
    const id = asText(template['id']);
    const components = template['components'];
    if (name === undefined) throw new ControlRefusal(`${path}.name`, 'must be a non-empty string');
    if (language === undefined) throw new ControlRefusal(`${path}.language`, 'must be a non-empty string');
    if (!Array.isArray(components)) throw new ControlRefusal(`${path}.components`, 'must be an array');
    return {
      ...(id === undefined ? {} : { id }),
      name,
      parameter_format: template['parameter_format'] === 'NAMED' ? 'NAMED' : 'POSITIONAL',
      components: components.map((component: unknown) => asObject(component) ?? {}),
      language,
      status: asText(template['status']) ?? 'APPROVED',
      category: asText(template['category']) ?? 'UTILITY',
    };
  });
}

/**
 * The provider's id of a template: the same for the same account, name and language at every start.
 * 15 digits, so that the callbacks that carry it as an integer lose nothing.
 */
export function templateId(wabaId: string, name: string, language: string): string {
  const digest = createHash('sha256').update(`${wabaId}/${name}/${language}`).digest();
  return String(100_000_000_000_000 + (digest.readUIntBE(0, 6) % 900_000_000_000_000));
}

function draft(name: string, language: string, category: string, components: readonly JsonObject[]): TemplateDraft {
  return { name, parameter_format: 'POSITIONAL', components, language, status: 'APPROVED', category };
}

function body(text: string, example?: JsonObject): JsonObject {
  return { type: 'BODY', text, ...(example ? { example } : {}) };
}
