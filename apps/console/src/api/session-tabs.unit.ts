import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from './api.generated.js';
import { queryClient } from './client.js';
import { csrfToken } from './session-state.js';

/** Node's own would keep the process running. */
class FakeChannel {
  static readonly posted: unknown[] = [];
  constructor(readonly name: string) {}
  postMessage(message: unknown): void {
    FakeChannel.posted.push([this.name, message]);
  }
}

describe('a session that continues under a new token', () => {
  const present = globalThis.BroadcastChannel;
  let tabs: typeof import('./session-tabs.js');

  beforeAll(async () => {
    globalThis.BroadcastChannel = FakeChannel as unknown as typeof present;
    tabs = await import('./session-tabs.js');
  });

  afterAll(() => {
    globalThis.BroadcastChannel = present;
    queryClient.clear();
  });

  it('is that of the next requests and of the pages, and other tabs hear of it', () => {
    const session = { csrfToken: 'the new one' } as Session;
    tabs.renewSession(session);
    expect([csrfToken(), queryClient.getQueryData(['session'])]).toEqual(['the new one', session]);
    expect(FakeChannel.posted).toEqual([['switchboard-session', 'changed']]);
  });
});
