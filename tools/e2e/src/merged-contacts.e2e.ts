import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiAnswer } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const [P1, P2, P3, P4] = ['+14157320001', '+14157320002', '+14157320003', '+14157320004'];
const [P5, P6, P7, P8] = ['+14157320005', '+14157320006', '+14157320007', '+14157320008'];

describe('a person whose number changes to one that has a contact', () => {
  let all: UsableStack;
  let acme: Api;

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme } = all);
  });

  it('is refused by the number once opted out by either id, and sent to again once that is removed', async () => {
    const [x, y] = [await contactOf(P1), await contactOf(P2)];
    await move(P1, P2, x);
    const optOut = await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ contactId: x }));
    expect([optOut.status, optOut.body?.['contactId']]).toEqual([201, y]);
    for (const id of [x, y]) expect((await acme.get(`/v1/contacts/${id}`)).body?.['isOptedOut']).toBe(true);
    expect((await acme.send(P2, 'no')).status).toBe(403);
    expect((await remove(optOut.body?.id)).status).toBe(204);
    for (const id of [x, y]) expect((await acme.get(`/v1/contacts/${id}`)).body?.['isOptedOut']).toBe(false);
    expect((await acme.send(P2, 'yes')).status).toBe(200);
  });

  it('takes opt-outs along: what was queued for the former number is not sent, and one removal ends them', async () => {
    const [x, y] = [await contactOf(P3), await contactOf(P4)];
    const optOut = await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ contactId: y }));
    await all.simulator.put('knobs', { errorRate: { 130429: 1 } });
    const queued = await acme.send(P3, 'later');
    // The stack is lent to others after this file.
    await move(P3, P4, x).finally(() => all.simulator.put('knobs', { errorRate: {} }));
    expect((await all.messageWhen(queued.body?.id, 'FAILED', 300_000))['error']).toMatchObject({
      code: 'CONTACT_OPTED_OUT',
    });
    expect((await acme.send(P4, 'no')).status).toBe(403);
    expect((await remove(optOut.body?.id)).status).toBe(204);
    expect((await acme.send(P4, 'yes')).status).toBe(200);
  });

  it('is not written to there once a STOP of before comes, whenever that is, and whoever has the former number is', async () => {
    const x = await contactOf(P5);
    const second = Math.trunc(Date.now() / 1_000);
    await move(P5, P6, x, second);
    // Shown means suppressed, for the new number as well.
    await say(P5, 'STOP', second - 2);
    expect((await acme.send(P6, 'no')).body?.error?.code).toBe('CONTACT_OPTED_OUT');
    const next = await acme.send(P5, 'who is there?');
    expect([next.status, next.body?.['contactId'] === x]).toEqual([200, false]);
    const { items = [] } = await acme.must('GET', `/v1/opt-outs?phone=${encodeURIComponent(P6)}`);
    expect(items).toMatchObject([{ contactId: x, phone: P6, source: 'KEYWORD' }]);
    await say(P5, 'START', second - 1);
    expect((await acme.send(P6, 'yes')).status).toBe(200);
    // In the second of the change either may have said it.
    await say(P5, 'STOP', second);
    for (const phone of [P5, P6]) expect((await acme.send(phone, 'no')).body?.error?.code).toBe('CONTACT_OPTED_OUT');
  });

  it('gets no message and no STOP of whoever has the former number next, also behind a late message of their own', async () => {
    const x = await contactOf(P7);
    const second = Math.trunc(Date.now() / 1_000);
    await say(P7, 'hello', second - 3, 'US.7');
    await move(P7, P8, x, second);
    await say(P7, 'late', second - 1, 'US.7');
    await say(P7, 'stop', second + 1, 'US.8');
    const { items = [] } = await acme.must('GET', `/v1/messages?contactId=${x}&direction=INBOUND`);
    expect(items.map(({ text }) => text)).toEqual(['late', 'hello']);
    expect((await acme.send(P7, 'no')).body?.error?.code).toBe('CONTACT_OPTED_OUT');
    expect((await acme.send(P8, 'yes')).status).toBe(200);
  });

  async function contactOf(phone: string): Promise<string> {
    const sent = await acme.send(phone, 'hello');
    expect(sent.status).toBe(200);
    return String(sent.body?.['contactId']);
  }

  /** Until the contact of the former number has none. */
  async function move(former: string, phone: string, contactId: string, second?: number): Promise<void> {
    const at = second === undefined ? {} : { timestamp: String(second) };
    const change = { displayPhone: '12015550181', from: former.slice(1), newPhone: phone.slice(1), ...at };
    await all.simulator.post('inbound', change);
    await eventually(async () => {
      const { body } = await acme.get(`/v1/contacts?phone=${encodeURIComponent(former)}`);
      return !(body?.items ?? []).some(({ id }) => id === contactId);
    });
  }

  /** Until it is shown. */
  async function say(phone: string, text: string, second: number, userId?: string): Promise<void> {
    const id = `wamid.said-${phone}-${text}-${second}`;
    await all.simulator.post('inbound', {
      displayPhone: '12015550181',
      from: phone.slice(1),
      text,
      id,
      timestamp: String(second),
      ...(userId !== undefined && { userId }),
    });
    await eventually(async () => {
      const { items = [] } = await acme.must('GET', '/v1/messages?direction=INBOUND&limit=100');
      return items.some(({ upstreamMessageId }) => upstreamMessageId === id);
    });
  }

  function remove(id: unknown): Promise<ApiAnswer> {
    return acme.ask('DELETE', `/v1/opt-outs/${String(id)}`);
  }
});
