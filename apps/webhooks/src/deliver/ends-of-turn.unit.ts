import { describe, expect, it } from '@jest/globals';
import type { EndedRequest } from '../delivery/delivery.entity.js';
import { endsOfTurn } from './ends-of-turn.js';

function end(webhookId: string, outcome: 'SUCCEEDED' | 'FAILED' = 'SUCCEEDED'): EndedRequest {
  return { attempt: { delivery: { webhookId } }, result: { outcome } } as unknown as EndedRequest;
}

describe('the ends that a turn records', () => {
  it('are all that went well, and those of a few webhooks that failed', () => {
    const failed = Array.from({ length: 100 }, (_, n) => end(`hangs-${n}`, 'FAILED'));
    const well = [end('a'), end('b'), end('a')];
    const { taken, left } = endsOfTurn([...failed, ...well], 128, 16);
    expect(taken).toEqual([...failed.slice(0, 16), ...well]);
    expect(left).toEqual(failed.slice(16));
  });

  it('keep the order of a webhook, a success behind a failure that waits, too', () => {
    const ended = [end('first', 'FAILED'), end('busy', 'FAILED'), end('busy'), end('well')];
    const { taken, left } = endsOfTurn(ended, 128, 1);
    expect(taken).toEqual([ended[0], ended[3]]);
    expect(left).toEqual([ended[1], ended[2]]);
  });

  it('may leave out all webhooks that failed', () => {
    const ended = [end('busy'), end('busy', 'FAILED'), end('well')];
    expect(endsOfTurn(ended, 128, 0)).toEqual({ taken: [ended[2]], left: ended.slice(0, 2) });
  });

  it('are no more than a turn may have', () => {
    const ended = Array.from({ length: 10 }, () => end('well'));
    expect(endsOfTurn(ended, 4, 16)).toEqual({ taken: ended.slice(0, 4), left: ended.slice(4) });
  });
});
