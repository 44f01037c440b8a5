import { describe, expect, it } from '@jest/globals';
import { changesOf, type WebhookFields } from './webhook-changes.js';

describe('the changes of a webhook', () => {
  const before: WebhookFields = {
    url: 'https://example.org/',
    events: ['message.sent', 'message.read'],
    description: null,
  };

  it('are the fields that the form has changed, and no other', () => {
    expect(changesOf(before, { ...before, description: 'ours' })).toEqual({ description: 'ours' });
    expect(changesOf(before, { ...before, url: 'https://example.com/' })).toEqual({ url: 'https://example.com/' });
    expect(changesOf(before, { ...before, events: ['message.sent'] })).toEqual({ events: ['message.sent'] });
    expect(changesOf({ ...before, description: 'ours' }, before)).toEqual({ description: null });
  });

  it('are none when only the order of the events is another', () => {
    expect(changesOf(before, { ...before, events: before.events.toReversed() })).toEqual({});
  });
});
