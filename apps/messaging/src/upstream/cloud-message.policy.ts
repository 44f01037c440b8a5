import type { TemplateParameters, TemplateText } from '@switchboard/contracts/messaging/template-parameters';
import type { UpstreamMessage, UpstreamTemplateMessage, UpstreamText } from './upstream.js';

/** A text as the provider takes it. Source: provider's "Text messages". */
export function wireText(text: UpstreamText): object {
  return { ...envelopeOf(text), type: 'text', text: { preview_url: false, body: text.text }, ...referenceOf(text) };
}

/** A template as the provider takes it. Source: provider's "Template messages". */
export function wireTemplate(message: UpstreamTemplateMessage): object {
  const { name, language, parameters } = message.template;
  const components = componentsOf(parameters);
  const filled = components.length > 0 ? { components } : {};
  const template = { name, language: { code: language }, ...filled };
  return { ...envelopeOf(message), type: 'template', template, ...referenceOf(message) };
}

function envelopeOf({ to }: UpstreamMessage): object {
  return { messaging_product: 'whatsapp', recipient_type: 'individual', to };
}

function referenceOf({ reference }: UpstreamMessage): object {
  return { biz_opaque_callback_data: reference };
}

/** Of a component without places nothing is said. */
function componentsOf({ header, body, buttons }: TemplateParameters): object[] {
  return [
    ...(header ? [{ type: 'header', parameters: [headerParameter(header)] }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body.map(textParameter) }] : []),
    ...buttons.map(buttonComponent),
  ];
}

function headerParameter(header: NonNullable<TemplateParameters['header']>): object {
  return header.type === 'text' ? textParameter(header) : { type: header.type, [header.type]: { link: header.link } };
}

/** A place that has a name is filled by it, all others by their order. */
function textParameter({ name, text }: TemplateText): object {
  return { type: 'text', ...(name === null ? {} : { parameter_name: name }), text };
}

/** The provider takes the index as a text. */
function buttonComponent({ index, type, text }: TemplateParameters['buttons'][number]): object {
  return { type: 'button', sub_type: type, index: String(index), parameters: [buttonParameter(type, text)] };
}

function buttonParameter(type: TemplateParameters['buttons'][number]['type'], text: string): object {
  switch (type) {
    case 'url':
      return { type: 'text', text };
    case 'quick_reply':
      return { type: 'payload', payload: text };
    case 'copy_code':
      return { type: 'coupon_code', coupon_code: text };
  }
}
