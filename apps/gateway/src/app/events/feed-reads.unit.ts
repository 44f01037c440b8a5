import { describe, expect, it } from '@jest/globals';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { EventFeedPage } from '@switchboard/contracts/webhooks/rpc';
import type { RpcClient } from '@switchboard/nats';
import { FeedReads } from './feed-reads.js';

const page = (nextCursor: string): EventFeedPage => ({ bodies: [], cursors: [], nextCursor });

describe('reads of the feed', () => {
  const asked: PromiseWithResolvers<EventFeedPage>[] = [];
  const rpc = {
    call: () => {
      const answer = Promise.withResolvers<EventFeedPage>();
      asked.push(answer);
      return answer.promise;
    },
  } as unknown as RpcClient;
  const [one, other] = [systemPrincipal('cone', 'test'), systemPrincipal('cother', 'test')];

  it('are one for all streams at the same place, until the feed grows: what began before may not show it', async () => {
    const reads = new FeedReads(rpc);
    const before = [reads.after(one, 'c1'), reads.after(one, 'c1')];
    const elsewhere = reads.after(other, 'c1');
    expect(asked).toHaveLength(2);
    reads.joinNone(new Set(['cone']));
    const after = [reads.after(one, 'c1'), reads.after(other, 'c1')];
    expect(asked).toHaveLength(3);
    asked[0]?.resolve(page('before'));
    asked[1]?.resolve(page('elsewhere'));
    expect(await Promise.all([...before, elsewhere])).toEqual(['before', 'before', 'elsewhere'].map(page));
    // The end of the first is not that of the second.
    const joined = reads.after(one, 'c1');
    expect(asked).toHaveLength(3);
    asked[2]?.resolve(page('after'));
    expect(await Promise.all([...after, joined])).toEqual(['after', 'elsewhere', 'after'].map(page));
    reads.joinNone(new Set());
    void reads.after(one, 'c1');
    expect(asked).toHaveLength(4);
  });
});
