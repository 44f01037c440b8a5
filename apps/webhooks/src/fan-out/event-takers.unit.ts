import { expect, test } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { EventTakers } from './event-takers.js';

function event(organizationId: string, subject = 'messaging.message.sent.v1'): EventEnvelope {
  return {
    id: 'e1',
    subject,
    organizationId,
    aggregateId: 'c1',
    sequence: null,
    occurredAt: '2026-01-01T00:00:00.000Z',
    data: {},
  };
}

const ANSWERS = { isProbed: false };
const IS_PROBED = { isProbed: true };

test('an event that no webhook took says nothing of other kinds and organizations', () => {
  const takers = new EventTakers();
  expect(takers.haveTime(event('a'))).toBe(false);
  takers.note(event('a'), []);
  expect(takers.haveTime(event('a'))).toBe(true);
  expect(takers.haveTime(event('b'))).toBe(false);
  expect(takers.haveTime(event('a', 'messaging.message.read.v1'))).toBe(false);
});

test('a webhook that takes one is known at once', () => {
  const takers = new EventTakers();
  takers.note(event('a'), []);
  takers.note(event('a'), [ANSWERS, ANSWERS]);
  expect(takers.haveTime(event('a'))).toBe(false);
  expect(takers.count(event('a'))).toBe(2);
});

test('an event for receivers that fail has time, and none for one that answers', () => {
  const takers = new EventTakers();
  takers.note(event('a'), [IS_PROBED, IS_PROBED]);
  expect(takers.haveTime(event('a'))).toBe(true);
  expect(takers.count(event('a'))).toBe(2);
  takers.note(event('a'), [IS_PROBED, ANSWERS]);
  expect(takers.haveTime(event('a'))).toBe(false);
});

test('an organization with a webhook that is new is as one that was not met', () => {
  const takers = new EventTakers();
  for (const organizationId of ['a', 'ab']) takers.note(event(organizationId), []);
  takers.forget('a');
  expect(['a', 'ab'].map((organizationId) => takers.haveTime(event(organizationId)))).toEqual([false, true]);
});

test('a kind that it has not met counts as one that a webhook takes', () => {
  expect(new EventTakers().count(event('a'))).toBe(1);
});

test('what it keeps is bounded', () => {
  const takers = new EventTakers(2);
  for (const organizationId of ['a', 'b', 'c']) takers.note(event(organizationId), []);
  expect(['a', 'b', 'c'].filter((organizationId) => takers.haveTime(event(organizationId)))).toEqual(['c']);
});

test('a known kind that comes again takes no place of another', () => {
  const takers = new EventTakers(2);
  for (const organizationId of ['a', 'b', 'b', 'a']) takers.note(event(organizationId), []);
  expect(['a', 'b'].filter((organizationId) => takers.haveTime(event(organizationId)))).toEqual(['a', 'b']);
});
