import { describe, expect, it } from '@jest/globals';
import { CreateApiKeyBody } from '../../app/api-keys/create-api-key.body.js';
import { ChangeWebhookBody, CreateWebhookBody } from '../../app/webhooks/webhook.body.js';
import { readBody } from './read-input.js';

const url = 'https://hooks.example.org/';

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
  throw new Error('it was not refused');
}

describe('the refusal of a list', () => {
  it('says that it must have an element, and that null is taken where it is', () => {
    const required = refusal(() => readBody(CreateWebhookBody, { url, events: [] }));
    expect(required).toBe('`events` must have at least one element');
    const optional = refusal(() => readBody(ChangeWebhookBody, { events: [] }));
    expect(optional).toBe('`events` must have at least one element or be null');
    expect(readBody(ChangeWebhookBody, { events: null }).events).toBeNull();
  });

  it('offers null for the list, and not for its elements', () => {
    const many = refusal(() => readBody(ChangeWebhookBody, { events: Array(10).fill('message.sent') }));
    expect(many).toBe('`events` must contain no more than 9 elements or be null');
    for (const element of ['message.seen', null]) {
      const odd = refusal(() => readBody(ChangeWebhookBody, { events: [element] }));
      expect(odd).toMatch(/^each value in `events` must be one of message\.received, .*template\.status_updated$/);
    }
    const twice = refusal(() => readBody(CreateApiKeyBody, { label: 'a', scopes: ['events:read', 'events:read'] }));
    expect(twice).toBe("All `scopes`'s elements must be unique");
  });

  it('offers null next to other types, as that of a text does', () => {
    expect(refusal(() => readBody(ChangeWebhookBody, { events: {} }))).toBe('`events` must be an array or null');
    const long = refusal(() => readBody(ChangeWebhookBody, { url: '' }));
    expect(long).toBe('`url` must be 1 to 2048 characters long or null');
  });
});
