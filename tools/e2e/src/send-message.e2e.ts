import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import { Api, type ApiAnswer, type Simulator } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CUID = /^c[0-9a-z]{24}$/;
const HANDED = 'handed to the provider';

describe('a message on its way through everything that npm start starts', () => {
  let all: UsableStack;
  let acme: Api;
  let globex: Api;
  let simulator: Simulator;
  let messageWhen: UsableStack['messageWhen'];

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme, globex, simulator, messageWhen } = all);
  });

  /** The steps of a message of Acme, without its webhooks: other files of this worker may have some. */
  async function timelineOf(id: string | undefined): Promise<readonly { what: unknown; detail: string }[]> {
    const { status, body } = await acme.get(`/v1/messages/${id}/timeline`);
    expect([status, Object.keys(body ?? {})]).toEqual([200, ['items']]);
    const items = (body?.items ?? []).map(({ what, detail, ...rest }) => ({ what, detail: String(detail), ...rest }));
    return items.filter(({ what }) => !String(what).startsWith('webhook'));
  }

  it('is accepted, sent, updated by callbacks and shown in the list', async () => {
    const sent = await acme.send('+1 (415) 555-0123', 'Hello from Switchboard');
    expect(sent.status).toBe(200);
    expect(Object.keys(sent.body ?? {}).sort()).toEqual(['contactId', 'conversationId', 'id', 'upstreamMessageId']);
    expect(sent.body?.id).toMatch(CUID);
    expect(sent.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);

    const delivered = await messageWhen(sent.body?.id, 'DELIVERED');
    expect(delivered).toMatchObject({
      conversationId: sent.body?.['conversationId'],
      contactId: sent.body?.['contactId'],
      direction: 'OUTBOUND',
      type: 'TEXT',
      unsupportedType: null,
      text: 'Hello from Switchboard',
      template: null,
      clientReference: null,
      metadata: {},
      jobId: null,
      upstreamMessageId: sent.body?.upstreamMessageId,
      error: null,
      readAt: null,
      failedAt: null,
    });
    for (const time of ['createdAt', 'sentAt', 'deliveredAt']) expect(delivered[time]).toMatch(ISO);

    const listed = await acme.get('/v1/conversations?limit=1');
    expect(listed.body?.items?.[0]).toEqual({
      id: sent.body?.['conversationId'],
      status: 'OPEN',
      lastMessageAt: expect.stringMatching(ISO),
      createdAt: expect.stringMatching(ISO),
      snoozedUntil: null,
      messagingChannelId: expect.stringMatching(CUID),
      contact: { id: sent.body?.['contactId'], name: null, phone: '+14155550123', messagingId: '14155550123' },
    });
    expect((await acme.get(`/v1/conversations/${sent.body?.['conversationId']}`)).body).toEqual(
      listed.body?.items?.[0],
    );
    const [request] = await simulator.requests(`reference=${sent.body?.id}`);
    expect(request?.body).toMatchObject({ to: '+14155550123', biz_opaque_callback_data: sent.body?.id });
  });

  it('keeps the reference and the metadata of its sender to itself, and shows them wherever it is shown', async () => {
    const own = { clientReference: 'order-4711', metadata: { 'campaign 😀': 'spring', __note: '' } };
    const sent = await acme.send('+14155550124', 'Yours', own);
    expect(await messageWhen(sent.body?.id, 'DELIVERED')).toMatchObject({ ...own, jobId: null, type: 'TEXT' });
    const listed = await acme.get(`/v1/conversations/${sent.body?.['conversationId']}/messages?limit=1`);
    expect(listed.body?.items?.[0]).toMatchObject({ id: sent.body?.id, ...own });
    const found = await acme.get(`/v1/messages?clientReference=order-4711&direction=OUTBOUND&createdFrom=2026-01-01`);
    expect(found.body?.items?.[0]).toMatchObject({ id: sent.body?.id, ...own });
    expect((await globex.get('/v1/messages?clientReference=order-4711')).body).toEqual({ items: [] });
    const [request] = await simulator.requests(`reference=${sent.body?.id}`);
    expect(JSON.stringify(request?.body)).not.toMatch(/4711|campaign|spring|note/);
  });

  it('is another message to its idempotency key when only its reference or its metadata differ', async () => {
    const key = { 'idempotency-key': `parts-${Date.now()}` };
    const body = { to: '+14155550124', text: 'Once', clientReference: 'a', metadata: { a: '1' } };
    const send = (change: object) => acme.ask('POST', '/v1/messages', JSON.stringify({ ...body, ...change }), key);
    const first = await send({});
    expect([first.status, (await send({})).body?.id]).toEqual([200, first.body?.id]);
    for (const change of [{ clientReference: 'b' }, { metadata: { a: '2' } }]) {
      expect((await send(change)).body?.error?.code).toBe('CONFLICT');
    }
  });

  it.each([
    ['00', 400, 'UPSTREAM_REJECTED', '131026'],
    ['01', 400, 'UPSTREAM_REJECTED', '131047'],
    ['05', 403, 'CONTACT_OPTED_OUT', '131050'],
    ['06', 400, 'UPSTREAM_REJECTED', '100'],
  ])('refused for good (…01%s): %i %s, with the stored message FAILED', async (nn, status, code, upstreamCode) => {
    const refused = await acme.send(`+120155501${nn}`, 'refused');
    expect([refused.status, refused.body?.error?.code]).toEqual([status, code]);
    const id = refused.headers.get('x-message-id') ?? '';
    expect(refused.headers.get('x-upstream-code')).toBe(upstreamCode);
    const steps = await timelineOf(id);
    expect(steps.map(({ what }) => what)).toEqual(['accepted', HANDED, 'refused', 'failed']);
    expect(steps[2]?.detail).toMatch(new RegExp(`^${upstreamCode}: .+`));
    const stored = await acme.get(`/v1/messages/${id}`);
    expect(stored.body).toMatchObject({ status: 'FAILED', error: { code: upstreamCode }, sentAt: null });
    expect(await simulator.requests(`reference=${id}`)).toHaveLength(1);
  });

  it('after the upstream reported an opt-out, the next send is refused without a message or a request', async () => {
    await acme.send('+12015550105', 'first');
    const before = (await simulator.requests('to=12015550105')).length;
    const refused = await acme.send('+12015550105', 'second');
    expect([refused.status, refused.body?.error?.code]).toEqual([403, 'CONTACT_OPTED_OUT']);
    expect([refused.headers.get('x-message-id'), refused.headers.get('x-upstream-code')]).toEqual([null, null]);
    expect(await simulator.requests('to=12015550105')).toHaveLength(before);
  });

  it.each([
    ['02', 3],
    ['03', 3],
  ])('refused as retryable (…01%s): 200 QUEUED, sent again until taken', async (nn, attempts) => {
    const queued = await acme.send(`+120155501${nn}`, 'again');
    expect([queued.status, queued.body?.upstreamMessageId]).toEqual([200, null]);
    await messageWhen(queued.body?.id, 'DELIVERED', 60_000);
    expect(await simulator.requests(`reference=${queued.body?.id}`)).toHaveLength(attempts);
    const whats = (await timelineOf(queued.body?.id)).map(({ what }) => what);
    const again = Array.from({ length: attempts - 1 }, () => [HANDED, 'refused', 'retry scheduled']).flat();
    expect(whats.slice(0, again.length + 4)).toEqual(['accepted', ...again, HANDED, 'sent', 'delivered']);
  });

  it.each(['04', '07'])('an unknown outcome (…01%s): 200 QUEUED, never repeated', async (nn) => {
    const queued = await acme.send(`+120155501${nn}`, 'unknown');
    expect([queued.status, queued.body?.upstreamMessageId]).toEqual([200, null]);
    expect((await acme.get(`/v1/messages/${queued.body?.id}`)).body?.status).toBe('QUEUED');
    const steps = await timelineOf(queued.body?.id);
    expect(steps.map(({ what }) => what)).toEqual(['accepted', HANDED, 'outcome unknown']);
    expect(steps[2]?.detail).toMatch(/^Outcome unknown until \d{4}-/);
    expect(await simulator.requests(`reference=${queued.body?.id}`)).toHaveLength(1);
  });

  it('an answer that was cut (…0108) is settled by the callback that carries our reference', async () => {
    const cut = await acme.send('+12015550108', 'cut');
    expect([cut.status, cut.body?.upstreamMessageId]).toEqual([200, null]);
    expect(await messageWhen(cut.body?.id, 'DELIVERED')).toMatchObject({ upstreamMessageId: expect.any(String) });
    expect(await simulator.requests(`reference=${cut.body?.id}`)).toHaveLength(1);
    const whats = (await timelineOf(cut.body?.id)).map(({ what }) => what);
    expect(whats.slice(0, 5)).toEqual(['accepted', HANDED, 'outcome unknown', 'sent', 'delivered']);
  });

  it('an answer slower than 5 s (…0109) does not keep the caller waiting, and is settled by itself', async () => {
    const started = performance.now();
    const slow = await acme.send('+12015550109', 'slow');
    expect(performance.now() - started).toBeGreaterThan(4_900);
    // Without the upstream's id: it came before the upstream's own answer, which takes 10 s.
    expect([slow.status, slow.body?.upstreamMessageId]).toEqual([200, null]);
    await messageWhen(slow.body?.id, 'DELIVERED');
    expect(await simulator.requests(`reference=${slow.body?.id}`)).toHaveLength(1);
  });

  it.each([
    ['10', 'FAILED', ['failed']],
    ['11', 'READ', ['delivered', 'read']],
    ['12', 'READ', ['delivered', 'read']],
  ])('callbacks of every kind (…01%s) end in %s', async (nn, status, last) => {
    const sent = await acme.send(`+120155501${nn}`, 'callbacks');
    const settled = await messageWhen(sent.body?.id, status);
    const steps = await timelineOf(sent.body?.id);
    expect(steps.map(({ what }) => what)).toEqual(['accepted', HANDED, 'sent', ...last]);
    expect(JSON.stringify(steps)).not.toMatch(/callbacks|120155501/);
    if (status === 'FAILED') expect(settled.error).toMatchObject({ code: '131049' });
    else expect([settled['deliveredAt'], settled['readAt']]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('takes a text of a contact into its conversation, once, with the name of the profile', async () => {
    const inbound = { from: '4915123456789', name: 'Ada', text: 'Is anybody there?', id: 'wamid.twice' };
    await simulator.post('inbound', inbound);
    await simulator.post('inbound', inbound);
    const conversation = await eventually(async () => {
      const { body } = await acme.get('/v1/conversations?limit=100');
      return body?.items?.find((item) => (item['contact'] as { phone: string }).phone === '+4915123456789');
    });
    expect(conversation).toMatchObject({ status: 'OPEN', contact: { name: 'Ada', messagingId: '4915123456789' } });
    const answered = await acme.send('+49 1512 3456789', 'Yes');
    expect(answered.body?.['conversationId']).toBe(conversation?.id);
  });

  it('moves its conversation by hand, until a time, and a text of the contact opens it again', async () => {
    const sent = await acme.send('+49 1512 3456780', 'first');
    const path = `/v1/conversations/${String(sent.body?.['conversationId'])}`;
    const move = (body: unknown): Promise<ApiAnswer> => acme.ask('PATCH', path, JSON.stringify(body));
    const refused = await move({ status: 'ARCHIVED' });
    expect([refused.status, refused.body?.error?.code]).toEqual([400, 'INVALID_TRANSITION']);
    expect((await move({ status: 'SNOOZED', snoozedUntil: '2001-01-01' })).body?.error?.message).toMatch(
      /snoozedUntil/,
    );
    const until = new Date(Date.now() + 30_000);
    const snoozed = await move({ status: 'SNOOZED', snoozedUntil: until.toISOString() });
    expect(snoozed.body).toMatchObject({ status: 'SNOOZED', snoozedUntil: until.toISOString() });
    await eventually(async () => (await acme.get(path)).body?.status === 'OPEN');
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect((await move({ status: 'CLOSED' })).body).toMatchObject({ status: 'CLOSED', snoozedUntil: null });
    expect((await acme.get('/v1/conversations?status=CLOSED')).body?.items).toHaveLength(1);
    await simulator.post('inbound', { from: '4915123456780', name: 'Bo', text: 'second', id: 'wamid.reopens' });
    await eventually(async () => (await acme.get(path)).body?.status === 'OPEN');
    const messages = await acme.get(`${path}/messages`);
    expect(messages.body?.items?.map((message) => message['text'])).toEqual(['second', 'first']);
    const foreign = await globex.ask('PATCH', path, '{"status":"CLOSED"}');
    expect([foreign.status, foreign.body?.error?.code]).toEqual([404, 'CONVERSATION_NOT_FOUND']);
    expect((await globex.get(`${path}/messages`)).status).toBe(404);
  });

  it('shows the channels of the organization, newest first', async () => {
    const { body } = await acme.get('/v1/channels');
    const ids = body?.items?.map(({ id }) => id) ?? [];
    expect(ids).toEqual([...ids].sort().reverse());
    const channels = all.stack.devJson.organizations?.[0]?.channels ?? [];
    expect(body?.items).toHaveLength(channels.length);
    expect(body?.items?.find((item) => item['isDefault'])).toEqual({
      id: channels.find(({ isDefault }) => isDefault)?.id,
      name: 'Acme support',
      phone: '+12015550181',
      provider: 'cloud',
      businessAccountId: expect.stringMatching(/^\d+$/),
      isDefault: true,
      status: 'CONNECTED',
      createdAt: expect.stringMatching(ISO),
    });
  });

  it('pages through the list, filtered by status, without losing or repeating', async () => {
    const whole = await acme.get('/v1/conversations?limit=100');
    const ids: unknown[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await acme.get(`/v1/conversations?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      ids.push(...(page.body?.items ?? []).map(({ id }) => id));
      cursor = page.body?.nextCursor;
    }
    expect(ids).toEqual(whole.body?.items?.map(({ id }) => id));
    expect((await acme.get('/v1/conversations?status=CLOSED')).body).toEqual({ items: [] });
    expect((await acme.get('/v1/conversations?status=OPEN&limit=100')).body?.items).toHaveLength(ids.length);
    expect((await acme.get('/v1/conversations?status=open')).body?.error?.code).toBe('VALIDATION_FAILED');
  });
});
