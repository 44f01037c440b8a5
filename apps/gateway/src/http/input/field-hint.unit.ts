import { describe, expect, it } from '@jest/globals';
import { fieldHints } from './field-hint.policy.js';

describe('a hint at the field that was probably meant', () => {
  const known = ['to', 'text', 'messagingChannelId', 'clientReference', 'metadata'];
  it.each([
    [['to', 'message'], '; `message` is unknown, did you mean `text`?'],
    [['phone', 'body'], '; `phone` is unknown, did you mean `to`?; `body` is unknown, did you mean `text`?'],
    [['to', 'Text'], '; `Text` is unknown, did you mean `text`?'],
    [['to', 'txet'], '; `txet` is unknown, did you mean `text`?'],
    [['to', 'tex'], '; `tex` is unknown, did you mean `text`?'],
    [['to', 'texts'], '; `texts` is unknown, did you mean `text`?'],
    [['to', 'client_reference'], '; `client_reference` is unknown, did you mean `clientReference`?'],
    [['to', 'channel-id'], '; `channel-id` is unknown, did you mean `messagingChannelId`?'],
  ])('is given for %j', (given, hint) => {
    expect(fieldHints(given, known)).toBe(hint);
  });

  it.each([
    [['url'], 'eventTypes', 'events'],
    [['events'], 'endpoint', 'url'],
    [[], 'name', 'label'],
    [[], 'pass', 'password'],
    [[], 'from', 'since'],
  ])('knows in the application, with %j given, the name %s for %s', (given, name, meant) => {
    expect(fieldHints([...given, name], [...given, meant])).toBe(
      `; \`${name}\` is unknown, did you mean \`${meant}\`?`,
    );
  });

  it.each([[['to', 'text', 'message']], [['to', 'priority']], [['to', 'xt']], [['to', `text${' '.repeat(40)}`]], [[]]])(
    'is not given for %j',
    (given) => {
      expect(fieldHints(given, known)).toBe('');
    },
  );

  it('repeats no name that could break the sentence', () => {
    expect(fieldHints(['te`xt', 'te\nxt'], known)).toBe('');
  });

  it('looks at the first 50 unknown names alone', () => {
    const unknown = (count: number): string[] => Array.from({ length: count }, (_none, index) => `x${index}`);
    expect(fieldHints([...unknown(49), 'message'], known)).toContain('`text`');
    expect(fieldHints([...unknown(50), 'message'], known)).toBe('');
  });
});
