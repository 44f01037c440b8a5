import { describe, expect, it } from '@jest/globals';
import type { EndedRequest } from '../delivery/delivery.entity.js';
import { endsOfTurn } from './ends-of-turn.js';

const isOfTurn = (webhookId: string): boolean => !webhookId.startsWith('other');

function end(webhookId: string): EndedRequest {
  return { attempt: { delivery: { webhookId } } } as unknown as EndedRequest;
}

describe('the ends that a turn records', () => {
  it('are those of its webhooks, in their order', () => {
    const ended = [end('a'), end('other'), end('b'), end('a')];
    const { taken, left } = endsOfTurn(ended, { isOfTurn, max: 128, webhooksMax: 128 });
    expect(taken).toEqual([ended[0], ended[2], ended[3]]);
    expect(left).toEqual([ended[1]]);
  });

  it('are of a few webhooks at most, and all ends of these', () => {
    const ended = [end('a'), end('b'), end('c'), end('a'), end('c')];
    const { taken, left } = endsOfTurn(ended, { isOfTurn, max: 128, webhooksMax: 2 });
    expect(taken).toEqual([ended[0], ended[1], ended[3]]);
    expect(left).toEqual([ended[2], ended[4]]);
  });

  it('are no more than a turn may have, the first of them', () => {
    const ended = Array.from({ length: 10 }, () => end('a'));
    const { taken, left } = endsOfTurn(ended, { isOfTurn, max: 4, webhooksMax: 128 });
    expect(taken).toEqual(ended.slice(0, 4));
    expect(left).toEqual(ended.slice(4));
  });
});
