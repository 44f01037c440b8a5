import { describe, expect, it } from '@jest/globals';
import { NameServers, NameServersSilent, OutboundHttp } from './index.js';

const never = new AbortController().signal;

/** Name servers of which each name has an answer: addresses, or a code of DNS. */
function nameServers(answers: Record<string, string>) {
  const asked: string[] = [];
  const servers = new NameServers((name) => {
    asked.push(name);
    const answer = answers[name] ?? 'ENOTFOUND';
    if (answer.startsWith('E')) return Promise.reject(Object.assign(new Error(answer), { code: answer }));
    return Promise.resolve([answer]);
  });
  const found = (...names: string[]): Promise<unknown> =>
    Promise.all(names.map((name) => servers.resolve(name, never)));
  return { answers, asked, servers, found };
}

describe('a name that is not answered', () => {
  it('fails by itself while a name of another domain is answered, also that there is none of it', async () => {
    const { answers, servers, found } = nameServers({ 'one.example': '1.1.1.1', 'own.test': '1.1.1.2' });
    await found('one.example', 'own.test');
    answers['own.test'] = 'ESERVFAIL';
    await expect(servers.resolve('own.test', never)).rejects.toMatchObject({ code: 'ESERVFAIL' });
    answers['one.example'] = 'ENOTFOUND';
    await expect(servers.resolve('own.test', never)).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it.each(['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'EREFUSED'])(
    'is no fault of its owner while none is: %s',
    async (code) => {
      const { answers, servers, found } = nameServers({ 'one.example': '1.1.1.1', 'own.test': '1.1.1.2' });
      await found('one.example', 'own.test');
      Object.assign(answers, { 'one.example': code, 'own.test': code });
      await expect(servers.resolve('own.test', never)).rejects.toThrow(NameServersSilent);
      answers['own.test'] = '1.1.1.2';
      expect(await servers.resolve('own.test', never)).toEqual(['1.1.1.2']);
    },
  );

  it('fails by itself where no name of another domain was found before', async () => {
    const { servers, found, asked } = nameServers({ 'a.own.test': '1.1.1.1', 'b.own.test': 'ESERVFAIL' });
    await found('a.own.test');
    await expect(servers.resolve('b.own.test', never)).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(asked).toEqual(['a.own.test', 'b.own.test']);
  });

  it('has the newest three of others asked for, once for all that are not answered meanwhile', async () => {
    const others = Array.from({ length: 40 }, (_, index) => `name.of-${index}`);
    const { answers, servers, found, asked } = nameServers(Object.fromEntries(others.map((name) => [name, '1.1.1.1'])));
    await found(...others);
    for (const name of others) answers[name] = 'ETIMEOUT';
    asked.length = 0;
    const failing = ['a.test', 'b.test', 'c.test'];
    for (const name of failing) answers[name] = 'ETIMEOUT';
    const ends = await Promise.allSettled(failing.map((name) => servers.resolve(name, never)));
    expect(ends).toEqual(failing.map(() => expect.objectContaining({ reason: expect.any(NameServersSilent) })));
    expect(asked).toEqual([...failing, ...others.slice(-3).reverse()]);
  });
});

it('is asked for once for all connections to a name that are made at once, and anew by later ones', async () => {
  const { servers, found, asked } = nameServers({ 'one.example': '1.1.1.1' });
  await found('one.example', 'one.example', 'one.example');
  expect(asked).toEqual(['one.example']);
  expect(await servers.resolve('one.example', never)).toEqual(['1.1.1.1']);
  expect(asked).toEqual(['one.example', 'one.example']);
});

it('is waited for no longer than whoever asks for it may', async () => {
  const silent = new NameServers(() => new Promise(() => undefined));
  const controller = new AbortController();
  const [given, kept] = [silent.resolve('one.example', controller.signal), silent.resolve('one.example', never)];
  controller.abort();
  await expect(given).rejects.toThrow('aborted');
  expect(await Promise.race([kept, Promise.resolve('waits')])).toBe('waits');
});

it('asks for no other where a name does not exist, or its request was given up', async () => {
  const { servers, found, asked } = nameServers({ 'one.example': '1.1.1.1', 'own.test': 'ECANCELLED' });
  await found('one.example');
  await expect(servers.resolve('none.test', never)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(servers.resolve('own.test', AbortSignal.abort())).rejects.toMatchObject({ code: 'ECANCELLED' });
  expect(asked).toEqual(['one.example', 'none.test', 'own.test']);
});

it('ends a request that could not begin as one of which the receiver has no part', async () => {
  const { answers, servers, found } = nameServers({ 'one.example': '1.1.1.1', 'own.test': 'ESERVFAIL' });
  await found('one.example');
  answers['one.example'] = 'ESERVFAIL';
  const client = new OutboundHttp({ allowPrivate: false, refusedHosts: [], resolve: servers.resolve });
  const end = await client.post({ url: 'https://own.test/', headers: {}, body: Buffer.from('{}') });
  expect(end).toMatchObject({ state: 'failed', error: 'no name server' });
  await client.close();
});
