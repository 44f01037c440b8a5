import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newCanary, type Canary } from './canary.js';

/** Every canary of one run, by what it is used for. */
export interface Flock {
  readonly all: readonly Canary[];
  /** A number of the United States, as people write it. */
  readonly writtenPhones: readonly string[];
  /** A German number: digits, as the upstream writes it. */
  readonly inboundPhone: string;
  readonly text: string;
  readonly name: string;
  readonly badKeys: readonly string[];
  /** The keys of the demonstration organizations, in their order. */
  readonly goodKeys: readonly string[];
  readonly appSecret: string;
  readonly verifyToken: string;
}

/** Makes canaries, and takes every secret of a data folder for one: passwords, keys, tokens. */
export async function flockOf(dataDir: string): Promise<Flock> {
  const read = (name: string): Promise<string> => readFile(join(dataDir, name), 'utf8');
  const secrets = JSON.parse(await read('secrets.json')) as Record<string, string>;
  const keys = JSON.parse(await read('demo-keys.json')) as {
    apiKey: string;
    accessToken: string;
    users: { password: string }[];
  }[];
  const text = newCanary('text', 'the text of a message');
  const name = newCanary('name', 'the name of a contact');
  const goodKeys = keys.map(({ apiKey }) => apiKey);
  const [first = ''] = goodKeys;
  const badKeys = [
    // Of our shape with a wrong checksum; of another shape, which is looked up; no key of ours at all.
    `${first.slice(0, 20)}${first.slice(20).split('').reverse().join('')}`,
    `svc_canary_${randomBytes(12).toString('hex')}`,
    `sk-canary-${randomBytes(12).toString('hex')}`,
  ];
  const secret = (what: string, value: string): Canary => ({ kind: 'secret', what, value });
  return {
    all: [
      { kind: 'phone', what: 'a recipient', value: '4155550142' },
      { kind: 'phone', what: 'a sender', value: '15123456780' },
      text,
      name,
      ...Object.entries(secrets).map(([what, value]) => secret(what, value)),
      ...goodKeys.map((key, index) => secret(`key ${index}`, key)),
      ...badKeys.map((key, index) => secret(`bad key ${index}`, key)),
      ...keys.map(({ accessToken }, index) => secret(`token of the upstream ${index}`, accessToken)),
      ...keys.flatMap(({ users }) => users.map(({ password }) => secret('password of a person', password))),
      secret('password of postgres', (await read('postgres.password')).trim()),
    ],
    writtenPhones: ['+14155550142', '+1 (415) 555-0142', '1-415-555-0142', '(415) 555 0142', '+1 415.555.0142'],
    inboundPhone: '4915123456780',
    text: text.value,
    name: name.value,
    goodKeys,
    badKeys,
    appSecret: secrets['upstream app secret'] ?? '',
    verifyToken: secrets['upstream verify token'] ?? '',
  };
}
