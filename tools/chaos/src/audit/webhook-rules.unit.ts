import { describe, expect, it } from '@jest/globals';
import { webhookFindings, type WebhookArrival, type WebhookLedger } from './webhook-rules.policy.js';

const arrival = (dataId: string, more: Partial<WebhookArrival> = {}): WebhookArrival => {
  return {
    dataId,
    conversationId: 'c1',
    sequence: 1,
    body: `body of ${dataId}`,
    isSigned: true,
    answered: 200,
    ...more,
  };
};
const attempt = { eventId: 'e1', kind: 'AUTOMATIC', outcome: 'SUCCEEDED', error: null } as const;
const interrupted = { ...attempt, outcome: 'FAILED', error: 'interrupted' } as const;
const refused = { ...attempt, outcome: 'FAILED' } as const;
const again = { ...attempt, kind: 'REPLAY' } as const;
const kept: WebhookLedger = {
  committed: [{ id: 'e1' }],
  bodies: new Map([['e1', 'body of e1']]),
  attempts: [attempt],
  arrivals: [arrival('e1')],
  replayed: new Set(),
};
const rulesOf = (more: Partial<WebhookLedger>): readonly string[] =>
  webhookFindings({ ...kept, ...more }).map(({ rule }) => rule);

describe('the rules of webhooks', () => {
  it('find nothing in an event that arrived once, or again after an attempt that a kill interrupted', () => {
    expect(rulesOf({})).toEqual([]);
    const attempts = [interrupted, attempt];
    expect(rulesOf({ attempts, arrivals: [arrival('e1'), arrival('e1')] })).toEqual([]);
    expect(rulesOf({ attempts })).toEqual([]);
  });

  it('find nothing in an event that its receiver refused before it took it, and something in a failure of another cause', () => {
    const arrivals = [arrival('e1', { answered: 500 }), arrival('e1')];
    expect(rulesOf({ attempts: [refused, attempt], arrivals })).toEqual([]);
    expect(rulesOf({ attempts: [refused, attempt] })).toEqual(['webhook.disagrees']);
    expect(rulesOf({ arrivals: [arrival('e1', { answered: 500 })] })).toEqual(['webhook.disagrees']);
  });

  it('find an event that was replayed and did not arrive again, and nothing in one that did', () => {
    const replayed = new Set(['e1']);
    expect(rulesOf({ replayed })).toEqual(['webhook.lost']);
    const arrivals = [arrival('e1'), arrival('e1')];
    expect(rulesOf({ replayed, attempts: [attempt, again], arrivals })).toEqual([]);
    expect(rulesOf({ replayed, attempts: [attempt, { ...interrupted, kind: 'REPLAY' }], arrivals })).toEqual([
      'webhook.lost',
    ]);
    expect(rulesOf({ replayed, attempts: [attempt, again] })).toEqual(['webhook.disagrees']);
  });

  it('find an event that is not stored, or did not arrive', () => {
    expect(rulesOf({ bodies: new Map() })).toEqual(['webhook.lost']);
    expect(rulesOf({ arrivals: [] })).toEqual(['webhook.lost']);
  });

  it('find other bytes, a missing signature, and what was never committed', () => {
    expect(rulesOf({ arrivals: [arrival('e1', { body: 'other' })] })).toEqual(['webhook.changed']);
    expect(rulesOf({ arrivals: [arrival('e1', { isSigned: false })] })).toEqual(['webhook.changed']);
    expect(rulesOf({ arrivals: [arrival('e1'), arrival('e2')] })).toEqual(['webhook.unrecorded']);
  });

  it('find a request without a record, and a record that says something else', () => {
    expect(rulesOf({ arrivals: [arrival('e1'), arrival('e1')] })).toEqual(['webhook.unrecorded']);
    expect(rulesOf({ attempts: [interrupted] })).toEqual(['webhook.disagrees']);
    const unreached = { ...interrupted, error: 'no response' };
    expect(rulesOf({ attempts: [unreached, attempt] })).toEqual(['webhook.disagrees']);
  });

  it('find what arrived behind a newer event of its conversation, but for repeated attempts', () => {
    const arrivals = [arrival('e2', { sequence: 2 }), arrival('e1'), arrival('e3', { conversationId: 'c2' })];
    const ids = ['e1', 'e2', 'e3'];
    const all = {
      committed: ids.map((id) => ({ id })),
      bodies: new Map(ids.map((id) => [id, `body of ${id}`])),
      attempts: ids.map((eventId) => ({ ...attempt, eventId })),
    };
    expect(rulesOf({ ...all, arrivals })).toEqual(['webhook.order']);
    expect(rulesOf({ ...all, arrivals: arrivals.toReversed() })).toEqual([]);
    const attempts = [...all.attempts, interrupted];
    expect(rulesOf({ ...all, attempts, arrivals })).toEqual([]);
  });
});
