import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Canary } from '@switchboard/testing/canary';
import { RawReceiver, response } from '../test/raw-receiver.js';
import { OutboundHttp, parseRefusedHosts, REQUEST_DEADLINE_MS, type ResolveName } from './index.js';
import { OwnHosts } from './own-hosts.js';

const answers = new Map<string, string[][]>();
/** Each look-up of a name takes its next answer. */
const resolve = (name: string): Promise<readonly string[]> => Promise.resolve(answers.get(name)?.shift() ?? []);
let canary: Canary;
let receiver: RawReceiver;

beforeAll(async () => {
  [canary, receiver] = await Promise.all([
    Canary.start(),
    RawReceiver.start((socket) => socket.write(response(302, [`location: http://127.0.0.1:${canary.port}/`]))),
  ]);
});

beforeEach(() => canary.forget());

afterAll(async () => {
  await Promise.all([canary.stop(), receiver.stop()]);
});

describe('our own hosts and ports', () => {
  it('are refused in every notation where private addresses are allowed, at registration and at delivery', async () => {
    const refusedHosts = parseRefusedHosts(`localhost:${canary.port}, db.internal:5432`);
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts, resolve });
    const own = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
    const hosts = [
      'localhost',
      'LOCALHOST',
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '127.200.1.1',
      '0.0.0.0',
      '0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      'own.example.org',
      ...own.filter((address) => !address.startsWith('fe80')).map((text) => (text.includes(':') ? `[${text}]` : text)),
    ];
    const passed: unknown[] = [];
    for (const host of hosts) {
      answers.set('own.example.org', [['127.0.0.1'], ['127.0.0.1']]);
      const url = `http://${host}:${canary.port}/`;
      const verdict = await client.judge(url);
      const end = await client.post({ url, headers: {}, body: Buffer.from('{}') });
      if (verdict.isAllowed || end.state !== 'failed' || end.error !== 'url not allowed') passed.push({ url, end });
    }
    expect(passed).toEqual([]);
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    answers.set('db.internal', [['10.0.0.5'], ['10.0.0.5']]);
    expect(await client.judge('http://DB.internal:5432/')).toMatchObject({ isAllowed: false, refusal: 'address' });
    expect(await client.judge('http://db.internal:8080/')).toMatchObject({ isAllowed: true });
    await client.close();
  });

  it('are looked for among 256 addresses of a name; one with more is refused', async () => {
    const refusedHosts = parseRefusedHosts('10.0.0.3:443, 10.0.0.4:443');
    const client = new OutboundHttp({ allowPrivate: false, refusedHosts, resolve });
    const many = Array.from({ length: 257 }, (_, n) => `93.184.${n >> 8}.${n & 255}`);
    answers.set('many.example.org', [many.slice(0, 256), many]);
    expect(await client.judge('https://many.example.org/')).toMatchObject({ isAllowed: true });
    expect(await client.judge('https://many.example.org/')).toMatchObject({ isAllowed: false, refusal: 'address' });
    await client.close();
  });

  it('are refused by the addresses of their names as well: as an address, and as any other name', async () => {
    const refusedHosts = parseRefusedHosts('db.internal:5432, queue.internal');
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts, resolve });
    answers.set('db.internal', [['10.0.0.5', '10.0.0.6']]);
    answers.set('queue.internal', [['93.184.215.14']]);
    answers.set('alias.example.org', [['1.1.1.1', '10.0.0.6']]);
    const refused = { isAllowed: false, refusal: 'address' };
    for (const host of ['10.0.0.5', '0xa000005', 'alias.example.org', '93.184.215.14']) {
      expect([host, await client.judge(`http://${host}:5432/`)]).toMatchObject([host, refused]);
    }
    expect(await client.judge('http://10.0.0.5:8080/')).toMatchObject({ isAllowed: true });
    expect(await client.judge('http://93.184.215.14:8080/')).toMatchObject(refused);
    const end = await client.post({ url: 'http://10.0.0.5:5432/', headers: {}, body: Buffer.from('{}') });
    expect(end).toMatchObject({ state: 'failed', error: 'url not allowed' });
    await client.close();
  });

  it('keep the addresses of a name that no longer resolves, and close no other way while it does not', async () => {
    const named = { host: 'db.internal', port: 5432 };
    let isAway = true;
    const turning: ResolveName = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(['10.0.0.5']));
    const never = new OwnHosts([named], turning, 0);
    await never.refresh();
    expect(never.known).toEqual([named]);
    const once = new OwnHosts([named], turning, 0);
    isAway = false;
    await once.refresh();
    isAway = true;
    await once.refresh();
    expect(once.known).toEqual([named, { host: '10.0.0.5', port: 5432 }]);
  });

  it('are compared by name alone where others may have the same addresses', async () => {
    const refusedHosts = [{ host: 'api.example.org', port: 443, isSharedAddress: true }];
    const client = new OutboundHttp({ allowPrivate: false, refusedHosts, resolve });
    answers.set('api.example.org', [['1.1.1.1']]);
    answers.set('customer.example.org', [['1.1.1.1']]);
    expect(await client.judge('https://api.example.org/')).toMatchObject({ isAllowed: false });
    expect(await client.judge('https://customer.example.org/')).toMatchObject({ isAllowed: true });
    await client.close();
  });

  it('are not reached through a redirect', async () => {
    const refusedHosts = parseRefusedHosts(`127.0.0.1:${canary.port}`);
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts, resolve });
    const end = await client.post({ url: receiver.url, headers: {}, body: Buffer.from('{}') });
    expect(end).toMatchObject({ state: 'answered', status: 302 });
    expect(canary.seen().connections).toBe(0);
    await client.close();
  });
});

describe('a resolver that changes its answer', () => {
  it('gains nothing: every connection judges what it connects to', async () => {
    const client = new OutboundHttp({ allowPrivate: false, refusedHosts: [], resolve });
    const url = `https://turns.example.org:${canary.port}/`;
    answers.set('turns.example.org', [['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14', '::1'], []]);
    expect(await client.judge(url)).toEqual({ isAllowed: true, url });
    const post = () => client.post({ url, headers: {}, body: Buffer.from('{}') });
    expect(await post()).toMatchObject({ error: 'url not allowed' });
    expect(await post()).toMatchObject({ error: 'url not allowed' });
    expect(await post()).toMatchObject({ error: 'name not resolved' });
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    await client.close();
  });

  it('is asked once for a connection, which goes to the judged address', async () => {
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve });
    answers.set('once.example.org', [['127.0.0.1'], ['169.254.169.254']]);
    const url = `http://once.example.org:${canary.port}/`;
    expect(await client.post({ url, headers: {}, body: Buffer.from('{}') })).toMatchObject({ status: 200 });
    expect(answers.get('once.example.org')).toEqual([['169.254.169.254']]);
    expect(canary.seen().connections).toBe(1);
    await client.close();
  });

  it('tries the next judged address where the first does not answer', async () => {
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve });
    answers.set('two.example.org', [['127.0.0.1', '127.0.0.2']]);
    const lone = await RawReceiver.start((socket) => socket.write(response(200)), '127.0.0.2');
    const url = `http://two.example.org:${lone.port}/`;
    expect(await client.post({ url, headers: {}, body: Buffer.from('{}') })).toMatchObject({ status: 200 });
    await Promise.all([client.close(), lone.stop()]);
  });
});

describe('a resolver that never answers', () => {
  it('is waited for as long as the whole request may take, which is 10 s, and says nothing of it', async () => {
    expect(REQUEST_DEADLINE_MS).toBe(10_000);
    const never = (): Promise<never> => Promise.withResolvers<never>().promise;
    const client = new OutboundHttp({ allowPrivate: true, refusedHosts: [], resolve: never, deadlineMs: 300 });
    const end = await client.post({
      url: `http://a.example.org:${canary.port}/`,
      headers: {},
      body: Buffer.from('{}'),
    });
    expect(end).toMatchObject({ state: 'failed', error: 'no response', status: null });
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    await client.close();
  });
});

describe('forms of a URL that would reach the canary', () => {
  const host = 'canary.example.org';
  const client = new OutboundHttp({
    allowPrivate: true,
    refusedHosts: [],
    resolve: () => Promise.resolve(['127.0.0.1']),
  });
  afterAll(() => client.close());

  it('are refused at registration and at delivery, and the one that is proper reaches it', async () => {
    const { port } = canary;
    const body = Buffer.from('{}');
    const forms = [
      ...['user@', 'user:pass@', '@', ':@', 'a%40b@', `${host}:${port}@`].map(
        (user) => `http://${user}${host}:${port}/`,
      ),
      ...['.', '。', '.', '%2e', '..', '%E3%80%82', '.%C2%AD', '.\ufe00', '%'].map(
        (dot) => `http://${host}${dot}:${port}/`,
      ),
      ...['\u034f', '%C2%AD', '%CD%8F'].map((dropped) => `http://can${dropped}ary.example.org:${port}/`),
      ...['ftp:', 'ws:', 'wss:', 'gopher:', 'file:', 'data:', ''].map((scheme) => `${scheme}//${host}:${port}/`),
      ...['http:', 'http:/', 'http:///', 'http:\\\\'].map((start) => `${start}${host}:${port}/`),
      ...[' ', '\t', '\n', '\r\n', '\u0000', '\u00a0'].flatMap((space) => [
        `${space}http://${host}:${port}/`,
        `http://${host}:${port}/${space}`,
        `http://${host}${space}:${port}/`,
      ]),
      `http://${host}:${port}\\@1.1.1.1/`,
      `http://1.1.1.1\\@${host}:${port}/`,
    ];
    const passed: unknown[] = [];
    for (const url of forms) {
      const verdict = await client.judge(url);
      const end = await client.post({ url, headers: {}, body });
      if (verdict.isAllowed || end.state !== 'failed' || end.error !== 'url not allowed') passed.push({ url, end });
    }
    expect(passed).toEqual([]);
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    const proper = `http://${host}:${port}/`;
    expect(await client.judge(proper)).toEqual({ isAllowed: true, url: proper });
    expect(await client.post({ url: proper, headers: {}, body })).toMatchObject({ status: 200 });
    expect(canary.seen()).toEqual({ connections: 1, sockets: 1 });
    for (const way of ['registration', 'delivery'])
      process.stderr.write(`forms of a URL, ${way}: ${forms.length} tried, 0 connections: ${JSON.stringify(forms)}\n`);
  });
});

describe('the form of a URL', () => {
  const client = new OutboundHttp({
    allowPrivate: false,
    refusedHosts: [],
    resolve: () => Promise.resolve(['1.1.1.1']),
  });
  afterAll(() => client.close());

  it.each([
    'http://example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'gopher://example.org/',
    'javascript:alert(1)',
    'data:text/plain,a',
    'ws://example.org/',
    '//example.org/',
    'example.org',
    'https:example.org',
    'https:/example.org',
    'https:///example.org',
    'https://',
    '',
    'https://user@example.org/',
    'https://user:pass@example.org/',
    'https://@example.org/',
    'https://:@example.org/',
    'https://example.org./',
    'https://example.org。/',
    'https://example.org%2e/',
    'https://example.org.:443/',
    'https://localhost./',
    'https://127.0.0.1./',
    'https://example.org:0/',
    'https://example.org:65536/',
    'https://example.org:port/',
    'https://[::1/',
    'https://[fe80::1%25lo]/',
    ' https://example.org/',
    'https://example.org/ ',
    'https://exam ple.org/',
    'https://example.org/a b',
    'https://example.org/\ta',
    'https://exa\tmple.org/',
    'https://example.org/\r\nx: y',
    'https://example.org/\u0000',
    'https://example.org/\u007f',
    'https://example.org\\@10.0.0.1/',
    'https:\\\\example.org/',
    'https://exam\u00adple.org/',
    'https://example.org/\u2028',
    'https://example.org/\ud800',
    `https://example.org/${'a'.repeat(2_029)}`,
  ])('refuses %j', async (url) => {
    expect(await client.judge(url)).toMatchObject({ isAllowed: false, refusal: 'form' });
    expect(await client.post({ url, headers: {}, body: Buffer.from('') })).toMatchObject({ error: 'url not allowed' });
  });

  it.each([
    'https://example.org',
    'HTTPS://Example.org/Hook?a=b#c',
    'https://example.org:8443/hook',
    'https://bücher.example/ä',
    'https://example.org/a@b',
    `https://example.org/${'a'.repeat(2_028)}`,
  ])('allows %j', async (url) => {
    expect(await client.judge(url)).toEqual({ isAllowed: true, url });
  });
});
