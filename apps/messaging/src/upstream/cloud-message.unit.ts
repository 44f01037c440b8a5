import { describe, expect, it } from '@jest/globals';
import type { TemplateParameters } from '@switchboard/contracts/messaging/template-parameters';
import { wireTemplate, wireText } from './cloud-message.policy.js';

const message = {
  organizationId: 'calice',
  phoneNumberId: '106540352242922',
  accessToken: 'token',
  to: '+16505551234',
  reference: 'c0123456789abcdefghijklmn',
};
const envelope = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+16505551234',
  biz_opaque_callback_data: 'c0123456789abcdefghijklmn',
};
const nothing: TemplateParameters = { header: null, body: [], buttons: [] };

function templateOf(parameters: Partial<TemplateParameters>): unknown {
  const template = { name: 'order_confirmation', language: 'en_US', parameters: { ...nothing, ...parameters } };
  return wireTemplate({ ...message, template });
}

/** As the provider's reference shows it. */
function wired(components: readonly object[]): unknown {
  const template = { name: 'order_confirmation', language: { code: 'en_US' }, components };
  return { ...envelope, type: 'template', template };
}

describe('a message in the form of the provider', () => {
  it('is a text without a preview of its links', () => {
    expect(wireText({ ...message, text: 'Hello' })).toEqual({
      ...envelope,
      type: 'text',
      text: { preview_url: false, body: 'Hello' },
    });
  });

  it('is a template without components when there is nothing to fill', () => {
    expect(templateOf({})).toEqual({
      ...envelope,
      type: 'template',
      template: { name: 'order_confirmation', language: { code: 'en_US' } },
    });
  });

  it('fills places that are counted in their order, header, body and buttons', () => {
    const filled = templateOf({
      header: { type: 'image', link: 'https://example.com/a.png' },
      body: [
        { name: null, text: 'Ada' },
        { name: null, text: 'A-1001' },
      ],
      buttons: [
        { index: 0, type: 'quick_reply', text: 'X' },
        { index: 1, type: 'url', text: 'A-1001?x=1' },
        { index: 2, type: 'copy_code', text: 'SUN25' },
      ],
    });
    expect(filled).toEqual(
      wired([
        { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] },
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Ada' },
            { type: 'text', text: 'A-1001' },
          ],
        },
        { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'X' }] },
        { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'A-1001?x=1' }] },
        {
          type: 'button',
          sub_type: 'copy_code',
          index: '2',
          parameters: [{ type: 'coupon_code', coupon_code: 'SUN25' }],
        },
      ]),
    );
  });

  it.each(['video', 'document'] as const)('links a %s in the header', (type) => {
    const link = 'https://example.com/file';
    expect(templateOf({ header: { type, link } })).toEqual(
      wired([{ type: 'header', parameters: [{ type, [type]: { link } }] }]),
    );
  });

  it('names the parameters of places that have names', () => {
    const header = { type: 'text', name: 'shop', text: 'Corner' } as const;
    expect(templateOf({ header, body: [{ name: 'first_name', text: 'Ada' }] })).toEqual(
      wired([
        { type: 'header', parameters: [{ type: 'text', parameter_name: 'shop', text: 'Corner' }] },
        { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ada' }] },
      ]),
    );
  });
});
