import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConversationTurns } from './conversation-turns.js';
import { BEGIN_WITHIN_MS } from './dispatch.entity.js';

const one = { organizationId: 'o', channelId: 'c', contactId: 'p' };

describe('first attempts of a conversation', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('begin one after the other, and not at all behind one that is to be sent again', async () => {
    const turns = new ConversationTurns();
    const [first, second, third] = [turns.enter(one), turns.enter(one), turns.enter(one)];
    expect(first.isFree).toBe(true);
    expect(turns.enter({ ...one, contactId: 'q' }).isFree).toBe(true);
    first.settle('begun');
    expect(await second.isFree).toBe(true);
    second.settle('not-begun');
    expect(await third.isFree).toBe(false);
    third.settle('not-begun');
    expect(await turns.enter(one).isFree).toBe(false);
  });

  it('are forgotten when they have begun, and when those that did not see the refusal are too old', () => {
    const turns = new ConversationTurns();
    turns.enter(one).settle('begun');
    expect(turns.enter(one).isFree).toBe(true);
    turns.enter(one).settle('not-begun');
    jest.advanceTimersByTime(BEGIN_WITHIN_MS);
    expect(turns.enter(one).isFree).toBe(true);
  });
});
