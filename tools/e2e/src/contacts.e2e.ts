import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { Api, ApiBody } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

describe('a contact in everything that npm start starts', () => {
  let all: UsableStack;
  let acme: Api;
  let globex: Api;

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme, globex } = all);
  });

  const upsert = async (body: Record<string, unknown>, status: number): Promise<ApiBody> => {
    const answer = await acme.ask('POST', '/v1/contacts', JSON.stringify(body));
    expect(answer.status).toBe(status);
    return answer.body ?? {};
  };
  const search = async (query: string, by = acme): Promise<(string | undefined)[]> =>
    ((await by.get(`/v1/contacts?${query}`)).body?.items ?? []).map(({ id }) => id);

  it('made by hand is the one that is sent to, and is known by the upstream’s id from then on', async () => {
    const made = await upsert({ phone: '+52 1 55 1234 5678', name: 'Ana María' }, 201);
    expect(made).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      phone: '+5215512345678',
      messagingId: '5215512345678',
      name: 'Ana María',
      email: null,
      isOptedOut: false,
      optedOutChannelIds: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const sent = await acme.send('+525512345678', 'hola');
    expect(sent.body?.['contactId']).toBe(made.id);
    const identified = await eventually(async () => {
      const { body } = await acme.get(`/v1/contacts/${made.id}`);
      return body?.['messagingId'] === '525512345678' && body;
    });
    expect(identified).toEqual({
      ...made,
      messagingId: '525512345678',
      updatedAt: expect.any(String),
    });
    expect(await upsert({ phone: '+525512345678', email: 'ana@example.com' }, 200)).toEqual({
      ...identified,
      email: 'ana@example.com',
      updatedAt: expect.any(String),
    });
    await eventually(async () => {
      const { body } = await acme.get(`/v1/conversations/${sent.body?.['conversationId']}`);
      return (body?.['contact'] as ApiBody | undefined)?.['name'] === 'Ana María';
    });
  });

  it('that writes first is found by the name of its profile, its number in any form, and by no other organization', async () => {
    await all.simulator.post('inbound', { from: '551199990000', name: 'Zoë Søndergård', text: 'Olá', id: 'wamid.zoe' });
    const [id] = await eventually(async () => {
      const found = await search('search=s%C3%B8ndergÅrd');
      return found.length > 0 && found;
    });
    for (const query of ['phone=%2B5511999990000', 'phone=%2B551199990000', 'phone=+5511999990000', 'search=990000']) {
      expect(await search(query)).toEqual([id]);
    }
    expect(await search('search=s%C3%B8nderg%C3%A5rd', globex)).toEqual([]);
    expect((await globex.get(`/v1/contacts/${id}`)).status).toBe(404);
  });

  it('is made once by twenty callers at once, in all its written forms', async () => {
    const forms = ['+5491123456789', '+541123456789', '0054 9 11 2345-6789', 'tel:+54-11-2345-6789'];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        n % 5 === 4
          ? acme.send(forms[n % 2], 'hola').then(({ body }) => body?.['contactId'])
          : acme.ask('POST', '/v1/contacts', JSON.stringify({ phone: forms[n % 4] })).then(({ body }) => body?.id),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await search('phone=%2B541123456789')).toEqual([answers[0]]);
  });
});
