import { beforeAll, describe, expect, it } from '@jest/globals';
import { Api, type Simulator } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('a request to send or read messages', () => {
  let all: UsableStack;
  let acme: Api;
  let globex: Api;
  let simulator: Simulator;

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme, globex, simulator } = all);
  });

  it('refuses bad input with the field and stores nothing', async () => {
    const before = await simulator.requests('since=1970-01-01T00:00:00Z');
    const cases: [unknown, unknown, Record<string, unknown>, number, string, RegExp][] = [
      [undefined, 'x', {}, 400, 'VALIDATION_FAILED', /to/],
      ['12', 'x', {}, 400, 'VALIDATION_FAILED', /to/],
      ['1'.repeat(33), 'x', {}, 400, 'VALIDATION_FAILED', /to/],
      [4_915_123_456_789, 'x', {}, 400, 'VALIDATION_FAILED', /to/],
      ['+14155550123', '', {}, 400, 'VALIDATION_FAILED', /text/],
      ['+14155550123', 'x'.repeat(4_097), {}, 400, 'VALIDATION_FAILED', /text/],
      ['+14155550123', 7, {}, 400, 'VALIDATION_FAILED', /text/],
      ['+14155550123', 'a\u0000b', {}, 400, 'VALIDATION_FAILED', /text/],
      ['+14155550123', 'x', { messagingChannelId: 'nope!' }, 400, 'VALIDATION_FAILED', /messagingChannelId/],
      [
        '+14155550123',
        'x',
        { messagingChannelId: 'c'.padEnd(25, '1') },
        404,
        'CHANNEL_NOT_FOUND',
        /messagingChannelId/,
      ],
      ['hello there', 'x', {}, 400, 'INVALID_PHONE', /to/],
      ['+1 555 123 4567', 'x', {}, 400, 'INVALID_PHONE', /to/],
    ];
    for (const [to, text, more, status, code, field] of cases) {
      const refused = await acme.send(to, text, more);
      expect([refused.status, refused.body?.error?.code]).toEqual([status, code]);
      expect(refused.body?.error?.message).toMatch(field);
      expect(Object.keys(refused.body ?? {})).toEqual(['error']);
    }
    expect(await simulator.requests('since=1970-01-01T00:00:00Z')).toHaveLength(before.length);
  });

  it('refuses a query that is not UTF-8, in the bundle too: nothing that only throws was left out of it', async () => {
    for (const text of ['%ff', 'a%', '%ED%A0%80']) {
      const refused = await acme.get(`/v1/contacts?search=${text}`);
      expect([text, refused.status, refused.body?.error?.message]).toEqual([
        text,
        400,
        '`search` must be percent-encoded UTF-8',
      ]);
    }
  });

  it('counts characters, not code units: 4,096 of two units each are accepted', async () => {
    expect((await acme.send('+14155550124', '😀'.repeat(4_096))).status).toBe(200);
  });

  it('shows nothing of an organization to another, and asks for a key', async () => {
    const sent = await acme.send('+14155550125', 'private');
    const [foreignTimeline, unknownTimeline] = await Promise.all(
      [sent.body?.id, 'caaaaaaaaaaaaaaaaaaaaaaaa'].map((id) => globex.get(`/v1/messages/${id}/timeline`)),
    );
    expect([foreignTimeline?.status, foreignTimeline?.body]).toEqual([404, unknownTimeline?.body]);
    const foreign = await globex.get(`/v1/messages/${sent.body?.id}`);
    const unknown = await globex.get('/v1/messages/caaaaaaaaaaaaaaaaaaaaaaaa');
    expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    expect((await globex.get('/v1/conversations')).body).toEqual({ items: [] });
    const stranger = new Api(all.baseUrl, 'svc_live_nonsense');
    const refused = await stranger.send('+14155550123', 'x');
    expect([refused.status, refused.body]).toEqual([
      401,
      { error: { code: 'UNAUTHORIZED', message: 'Invalid API key' } },
    ]);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('redirects the earlier base for good, keeping path and query', async () => {
    const moved = await acme.get('/api/v1/conversations?limit=2');
    expect(moved.status).toBe(308);
    expect(moved.headers.get('location')).toMatch(/\/v1\/conversations\?limit=2$/);
    expect(moved.headers.get('deprecation')).toMatch(/^@\d+$/);
  });
});
