import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ipv4Notations, printForms, type Notation } from '@switchboard/testing/address-notations';
import { Canary } from '@switchboard/testing/canary';
import { ipv6Notations, samplesOf } from '../test/notations.js';
import { sent } from '../test/sent.js';
import { publicAddresses, specialPurposeBlocks } from '../test/special-purpose-blocks.js';
import { OutboundHttp, OutboundThread } from './index.js';

interface Form {
  readonly notation: string;
  readonly host: string;
}

/** What the fake resolver answers, by name. */
const names = new Map<string, readonly string[]>();
const resolve = (name: string): Promise<readonly string[]> => Promise.resolve(names.get(name) ?? []);
const options = { refusedHosts: [], resolve };
const production = new OutboundHttp({ ...options, allowPrivate: false });
const permissive = new OutboundHttp({ ...options, allowPrivate: true });
let canary: Canary;

beforeAll(async () => {
  canary = await Canary.start();
});

beforeEach(() => canary.forget());

afterAll(async () => {
  await Promise.all([production.close(), permissive.close(), canary.stop()]);
});

describe('special-purpose addresses of every block in every notation', () => {
  const forms = [
    ...formsOf(specialPurposeBlocks.ipv4.flatMap(samplesOf), ipv4Notations),
    ...formsOf(specialPurposeBlocks.ipv6.flatMap(samplesOf), ipv6Notations),
  ];

  it('lead to a refusal at registration, and to no connection', async () => {
    const allowed: Form[] = [];
    for (const form of forms) {
      const verdict = await production.judge(urlOf(form, 'https'));
      if (verdict.isAllowed) allowed.push(form);
    }
    expect(allowed).toEqual([]);
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    printForms('registration', forms);
  });

  it('lead to a refusal at delivery, and to no connection', async () => {
    const other: unknown[] = [];
    for (const form of forms) {
      const end = await production.post({ url: urlOf(form, 'https'), headers: {}, body: Buffer.from('{}') });
      if (end.state !== 'failed' || end.error !== 'url not allowed') other.push({ ...form, end });
    }
    expect(other).toEqual([]);
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    printForms('delivery', forms);
  });

  it('do not include addresses of the Internet: those are allowed', async () => {
    const written = ['dotted', 'decimal', 'hexadecimal', 'octal parts', 'full-width digits', 'resolved name'];
    const chosen = Object.fromEntries(Object.entries(ipv4Notations).filter(([name]) => written.includes(name)));
    const zoneless = Object.fromEntries(Object.entries(ipv6Notations).filter(([name]) => name !== 'with a zone'));
    const ordinary = [...formsOf(publicAddresses.ipv4, chosen), ...formsOf(publicAddresses.ipv6, zoneless)];
    const verdicts = await Promise.all(ordinary.map((form) => production.judge(urlOf(form, 'https'))));
    expect(ordinary.filter((_form, index) => verdicts[index]?.isAllowed !== true)).toEqual([]);
  });
});

describe('addresses of metadata services', () => {
  it('stay refused where private addresses are allowed, at registration and at delivery', async () => {
    const blocks = ['169.254.0.0/16', '169.254.169.254/32', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'];
    const others = ['fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fd00:a9fe:a9fe::1', 'fd00:100::100:200'];
    const forms = [
      ...formsOf(blocks.flatMap(samplesOf), ipv4Notations),
      ...formsOf(['fd00:ec2::254', 'fd20:ce::254', 'fe80::1', '::ffff:a9fe:a9fe', ...others], ipv6Notations),
    ];
    const passed: unknown[] = [];
    for (const form of forms) {
      const url = urlOf(form, 'http');
      const verdict = await permissive.judge(url);
      const end = await permissive.post({ url, headers: {}, body: Buffer.from('{}') });
      if (verdict.isAllowed || end.state !== 'failed' || end.error !== 'url not allowed') passed.push({ ...form, end });
    }
    expect(passed).toEqual([]);
    expect(canary.seen()).toEqual({ connections: 0, sockets: 0 });
    for (const way of ['registration', 'delivery']) printForms(`metadata, private addresses allowed, ${way}`, forms);
  });

  it('are apart from loopback, which the same client reaches', async () => {
    const url = `http://127.0.0.1:${canary.port}/`;
    expect(await permissive.judge(url)).toEqual({ isAllowed: true, url });
    expect(await permissive.post({ url, headers: {}, body: Buffer.from('{}') })).toMatchObject({ status: 200 });
    expect(canary.seen()).toEqual({ connections: 1, sockets: 1 });
  });
});

describe('the message of a refusal at registration', () => {
  const messageOf = async (client: OutboundHttp, url: string): Promise<string> => {
    const verdict = await client.judge(url);
    return verdict.isAllowed ? '' : verdict.message;
  };

  it('asks for https and public addresses, and for neither where both are lifted', async () => {
    const refused = ['ftp://receiver.example/', 'https://unknown.example/', 'http://169.254.169.254/'];
    const said = async (client: OutboundHttp): Promise<string> =>
      (await Promise.all(refused.map((url) => messageOf(client, url)))).join('\n');
    expect(await said(production)).toMatch(/an https:\/\/ URL.*\n.*public addresses/);
    expect(await said(permissive)).toMatch(/an http:\/\/ or https:\/\/ URL/);
    expect(await said(permissive)).not.toContain('public');
  });

  it('does not say whether a name exists', async () => {
    names.set('inside.example', ['169.254.169.254']);
    for (const client of [production, permissive]) {
      const [inside, unknown] = ['https://inside.example/', 'https://unknown.example/'];
      expect(await messageOf(client, inside)).toBe(await messageOf(client, unknown));
    }
  });
});

describe('a thread', () => {
  const strict = new OutboundThread({ allowPrivate: false, refusedHosts: [] });
  const lenient = new OutboundThread({ allowPrivate: true, refusedHosts: [] });
  afterAll(() => Promise.all([strict.close(), lenient.close()]));

  it('refuses one address of each notation, and connects to none', async () => {
    // Refused by the guard alone: the canary listens at the first two.
    const loopback = [...threadForms('127.0.0.1', ipv4Notations), ...threadForms('::1', ipv6Notations)];
    const metadata = [
      ...threadForms('169.254.169.254', ipv4Notations),
      ...threadForms('fd00:ec2::254', ipv6Notations),
    ].filter(({ notation }) => notation !== 'resolved name');
    const other: unknown[] = [];
    for (const [by, scheme, forms] of [
      [strict, 'https', [...loopback, ...metadata]],
      [lenient, 'http', metadata],
    ] as const) {
      for (const form of forms) {
        const end = await sent(by, urlOf(form, scheme));
        if (end.state !== 'failed' || end.error !== 'url not allowed') other.push({ ...form, end });
      }
    }
    expect(other).toEqual([]);
    expect(canary.seen().connections).toBe(0);
    printForms('delivery by a thread', [...loopback, ...metadata]);
  });

  it('reaches the same server where private addresses are allowed, in other notations too', async () => {
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', 'own.localhost']) {
      expect(await sent(lenient, `http://${host}:${canary.port}/`)).toMatchObject({ status: 200 });
    }
    expect(canary.seen().connections).toBeGreaterThan(0);
  });
});

/** A thread resolves by itself: the name of a notation without a text is one that is loopback everywhere. */
function threadForms(address: string, notations: Readonly<Record<string, Notation>>): readonly Form[] {
  return Object.entries(notations).map(([notation, write]) => ({ notation, host: write(address) ?? 'own.localhost' }));
}

/** A name that resolves to the address, alone and after a public one, stands for the notation without a text. */
function formsOf(addresses: readonly string[], notations: Readonly<Record<string, Notation>>): readonly Form[] {
  return addresses.flatMap((address) =>
    Object.entries(notations).flatMap(([notation, write]) => {
      const host = write(address);
      if (host !== null) return [{ notation, host }];
      return [[address], ['1.1.1.1', address]].map((answer) => {
        const name = `name-${names.size}.example.org`;
        names.set(name, answer);
        return { notation, host: name };
      });
    }),
  );
}

function urlOf({ host }: Form, scheme: 'http' | 'https'): string {
  return `${scheme}://${host}:${canary.port}/hook`;
}
