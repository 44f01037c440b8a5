import { describe, expect, it } from '@jest/globals';
import type { EndedRequest } from '../delivery/delivery.entity.js';
import { endsOfTurn } from './ends-of-turn.js';

const isOfTurn = (webhookId: string): boolean => !webhookId.startsWith('other');

function end(webhookId: string, isAlone = false): EndedRequest {
  return { attempt: { delivery: { webhookId } }, isAlone } as unknown as EndedRequest;
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

  it('are one alone, where its record was refused, and none of its webhook before it', () => {
    const asked = { isOfTurn, max: 128, webhooksMax: 128 };
    const refused = [end('a', true), end('a', true), end('b')];
    expect(endsOfTurn(refused, asked)).toEqual({ taken: [refused[0]], left: [refused[1], refused[2]] });
    const behind = [end('b'), end('a', true), end('a'), end('c')];
    expect(endsOfTurn(behind, asked)).toEqual({ taken: [behind[0], behind[3]], left: [behind[1], behind[2]] });
  });
});
