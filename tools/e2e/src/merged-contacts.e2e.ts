import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiAnswer } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const [P1, P2, P3, P4] = ['+14157320001', '+14157320002', '+14157320003', '+14157320004'];

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

  async function contactOf(phone: string): Promise<string> {
    const sent = await acme.send(phone, 'hello');
    expect(sent.status).toBe(200);
    return String(sent.body?.['contactId']);
  }

  /** Until the contact of the former number has none. */
  async function move(former: string, phone: string, contactId: string): Promise<void> {
    const change = { displayPhone: '12015550181', from: former.slice(1), newPhone: phone.slice(1) };
    await all.simulator.post('inbound', change);
    await eventually(async () => {
      const { body } = await acme.get(`/v1/contacts?phone=${encodeURIComponent(former)}`);
      return !(body?.items ?? []).some(({ id }) => id === contactId);
    });
  }

  function remove(id: unknown): Promise<ApiAnswer> {
    return acme.ask('DELETE', `/v1/opt-outs/${String(id)}`);
  }
});
