import { describe, expect, it } from '@jest/globals';
import { CreateApiKeyBody } from '../../app/api-keys/create-api-key.body.js';
import { ChangeChannelBody } from '../../app/channels/channel.body.js';
import { AcceptInviteBody } from '../../app/invites/accept-invite.body.js';
import { CreateInviteBody } from '../../app/invites/create-invite.body.js';
import { ChangeWebhookBody, CreateWebhookBody } from '../../app/webhooks/webhook.body.js';
import { UpsertContactBody } from '../../v1/contacts/upsert-contact.body.js';
import type { Shape } from './field-description.js';
import { readBody } from './read-input.js';

const webhook = { url: 'https://hooks.example.org/', events: ['message.sent'] };
const fields: readonly (readonly [string, Shape, string, object])[] = [
  ['a key', CreateApiKeyBody, 'label', {}],
  ['a person', AcceptInviteBody, 'name', { token: 'x' }],
  ['a new webhook', CreateWebhookBody, 'description', webhook],
  ['a webhook', ChangeWebhookBody, 'description', {}],
  ['a contact', UpsertContactBody, 'name', { phone: '+14155550123' }],
];

describe('names and labels', () => {
  it.each(fields)('of %s are one line that shows what it is', (_what, shape, field, others) => {
    const read = (text: string): object => readBody(shape, { ...others, [field]: text });
    for (const hidden of ['\u0007', '\n', '\u0085', '\u2028', '\u202e', '\u202a', '\u2066', '\u2069', '\u007f']) {
      expect(() => read(`Acme${hidden}gpj.exe`)).toThrow(`\`${field}\` must be one line`);
    }
    for (const plain of ['Zoë Müller', 'עדה \u200fלאבלייס', '👩‍👩‍👧 family', 'न\u200dम'])
      expect(() => read(plain)).not.toThrow();
  });

  it.each(fields)('of %s have something to see', (_what, shape, field, others) => {
    const read = (text: string): object => readBody(shape, { ...others, [field]: text });
    const blank = [
      ' ',
      '\u00a0',
      '\u200b',
      '\u2060',
      '\ufeff',
      '\u3164',
      '\u115f',
      '\u2800',
      '\u{e0041}',
      '\u200d\ufe0f ',
    ];
    for (const text of blank)
      expect(() => read(text)).toThrow(`\`${field}\` must be one line with a visible character`);
    expect(() => read('\u2060a')).not.toThrow();
  });

  it('of people have addresses that show what they are', () => {
    const read = (email: string): object => readBody(CreateInviteBody, { email, role: 'MEMBER' });
    expect(() => read('ada\u202egpj@example.org')).toThrow('`email` must be an email address');
    for (const hidden of ['\u200b', '\u2060', '\u00ad', '\u3164', '\u{e0041}', '\u00a0', '\u2800']) {
      expect(() => read(`ada${hidden}@example.org`)).toThrow('`email` must be an email address');
    }
    expect(() => read('"ada l"@example.org')).not.toThrow();
    expect(() => read('adaé@example.org')).not.toThrow();
  });

  it('that opt out are each one line with a letter or digit to see', () => {
    const read = (word: string): object => readBody(ChangeChannelBody, { optOutKeywords: ['BAJA', word] });
    for (const word of ['\u3164', '\u115f', 'A\u202egpj', 'A\nB', 'A\u0007', '.', '']) {
      expect(() => read(word)).toThrow('`optOutKeywords` must be');
    }
    for (const word of ['ALTO', '\u0646\u200c\u0647', '7']) expect(() => read(word)).not.toThrow();
  });
});
