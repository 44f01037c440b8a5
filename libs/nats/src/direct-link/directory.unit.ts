import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from '../link-state.js';
import { Directory } from './directory.js';

let nowMs = 1_000;
const link = { isAway: false };
const subscribers = new Map<string, (error: null, message: { json: () => unknown }) => void>();
const connection = {
  subscribe: (subject: string, { callback }: { callback: (error: null, message: { json: () => unknown }) => void }) =>
    subscribers.set(subject.includes('messaging') ? 'messaging' : 'gateway', callback),
};

function announce(service: string, url: string): void {
  subscribers.get(service)?.(null, { json: () => ({ url, token: 't', isStart: false }) });
}

afterEach(() => void jest.restoreAllMocks());

describe('the directory of services', () => {
  it('keeps who was there when a half-open link went, however late that is noticed, and not who had gone before', () => {
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const directory = new Directory(connection as unknown as NatsConnection, link as unknown as LinkState, 'contacts', [
      'messaging',
      'gateway',
    ]);
    announce('messaging', 'gone');
    nowMs += 6_000;
    announce('messaging', 'there');
    nowMs += 2_000;
    announce('gateway', 'other');
    const urls = (): string[] => directory.addresses('messaging').map(({ url }) => url);
    expect(urls()).toEqual(['there']);
    nowMs += 30_000;
    link.isAway = true;
    expect([urls(), urls()]).toEqual([['there'], ['there']]);
    link.isAway = false;
    expect(urls()).toEqual([]);
  });
});
