import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import fc from 'fast-check';
import { parseJsonBody } from '../http/json-body.policy.js';
import type { BulkRecipient } from '@switchboard/contracts/templates/job-rpc';
import { BulkBody, type BulkBodyEnd } from './bulk-body.js';
import type { RecipientChunk } from './recipient-chunks.js';

interface Read extends BulkBodyEnd {
  readonly recipients: readonly BulkRecipient[];
}

/** Reads a body in pieces of these lengths, in turn. */
function read(bytes: Buffer, lengths: readonly number[] = [bytes.length || 1]): Read {
  const body = new BulkBody();
  const chunks: RecipientChunk[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const to = from + (lengths[turn % lengths.length] ?? 1);
    chunks.push(...body.push(bytes.subarray(from, to)));
    from = to;
  }
  const end = body.end();
  if (end.lastChunk) chunks.push(end.lastChunk);
  return {
    ...end,
    recipients: chunks.flatMap(({ json }) => JSON.parse(Buffer.from(json).toString()) as BulkRecipient[]),
  };
}

const readText = (text: string): Read => read(Buffer.from(text));

/** The code of its refusal, or `ok`. */
function verdictOf(work: () => unknown): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

const recipient = fc.record(
  {
    to: fc.constantFrom('+14155550123', '+52 1 55 1234 5678', '(415) 555-0123', 'nothing'),
    variables: fc.oneof(fc.constant(null), fc.array(fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme' }))),
    clientReference: fc.constantFrom('a"b\\', '\u{1f600}', null),
    metadata: fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }),
    surplus: fc.jsonValue({ maxDepth: 3 }),
  },
  { requiredKeys: ['to'] },
);
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe('a body of a bulk send, read in pieces', () => {
  it('gives what the whole gives, wherever it is cut and however it is spaced', () => {
    fc.assert(
      fc.property(
        fc.array(recipient, { minLength: 1, maxLength: 8 }),
        fc.jsonValue({ maxDepth: 3 }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(undefined, 1, '\t'),
        lengths,
        (recipients, surplus, scheduledAt, space, cuts) => {
          const body = { surplus, scheduledAt, recipients, templateId: 'c1234567' };
          const bytes = Buffer.from(JSON.stringify(body, null, space));
          if (verdictOf(() => parseJsonBody(bytes)) !== 'ok') return;
          const found = read(bytes, cuts);
          expect(found.total).toBe(recipients.length);
          expect(found.refusal).toBeNull();
          expect(found.fields).toEqual({ scheduledAt, templateId: 'c1234567' });
          expect(found.recipients.map(({ to }) => to)).toEqual(recipients.map(({ to }) => to));
          expect(found.recipients.map(({ variables }) => variables)).toEqual(
            recipients.map((one) => one.variables ?? null),
          );
          expect(found.recipients.map(({ metadata }) => metadata)).toEqual(
            recipients.map((one) => one.metadata ?? null),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is well-formed exactly when the whole is, whatever character is lost, added or changed', () => {
    const whole =
      '{"a":[1,{"recipients":[]}],"recipients" : [ {"to":"+14155550123"}, "x\\"]" ,true,-1.5e3,[{}] ] ,"b":"\\u0041"}';
    const character = fc.constantFrom(...'{}[]",:\\ 01tu\n\u0000\ufeff');
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.constantFrom(0, 1),
        fc.oneof(fc.constant(''), character),
        lengths,
        (at, cut, put, cuts) => {
          const bytes = Buffer.from(whole.slice(0, at) + put + whole.slice(at + cut));
          const expected = verdictOf(() => parseJsonBody(bytes));
          const found = verdictOf(() => read(bytes, cuts));
          // What is wrong with a recipient is in the refusal, and found later than what is malformed.
          expect([bytes.toString(), found === 'VALIDATION_FAILED' ? 'ok' : found]).toEqual([
            bytes.toString(),
            expected === 'VALIDATION_FAILED' ? 'ok' : expected,
          ]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '',
    ' ',
    '[]',
    '1',
    '"recipients"',
    '{"recipients":[1}',
    '{"recipients":[1]',
    '{"recipients":[1],}',
    '{"recipients":[,]}',
    '{"recipients":[1 2]}',
    '{"recipients":[{}{}]}',
    '{"recipients":[nul]}',
    '["recipients":[1]]',
    '{"recipients":["\\x"]}',
  ])('is refused when it is %j', (text) => {
    expect(verdictOf(() => readText(text))).toBe(verdictOf(() => parseJsonBody(Buffer.from(text))));
    expect(verdictOf(() => readText(text))).not.toBe('ok');
  });

  it('refuses bytes that are no UTF-8, in a recipient and elsewhere', () => {
    for (const [before, after] of [
      ['{"recipients":[{"to":"', '"}]}'],
      ['{"a":"', '","recipients":[]}'],
    ] as const) {
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xc3, 0x28]), Buffer.from(after)]);
      expect(verdictOf(() => read(bytes, [7]))).toBe('MALFORMED_BODY');
    }
  });

  it('finds the recipients under an escaped name, at any place, and nowhere but in the body itself', () => {
    const inner = '"b":{"recipients":[{}]},"throttlePerHour":60';
    expect(readText(`{"\\u0072ecipients":[{"to":"+14155550123"}],${inner}}`)).toMatchObject({
      total: 1,
      refusal: null,
      fields: { throttlePerHour: 60 },
    });
    expect(readText('{"b":{"recipients":[{"to":"+14155550123"}]}}').refusal).toBe('`recipients` is required');
    expect(readText('{"contacts":[]}').refusal).toBe(
      '`recipients` is required; `contacts` is unknown, did you mean `recipients`?',
    );
    expect(readText('{"recipients":[{"to":"+14155550123"}],"recipients":[{"to":"+14155550124"}]}').refusal).toBe(
      '`recipients` must be given once',
    );
  });
});

describe('what is wrong with recipients', () => {
  const to = '+14155550123';
  const long = 'x'.repeat(1_025);
  it.each([
    ['no object', [1], '`recipients[0]` must be an object'],
    ['no number', [{ to }, {}], '`recipients[1].to` is required'],
    [
      'a number under another name',
      [{ phone: to }],
      '`recipients[0].to` is required; `phone` is unknown, did you mean `to`?',
    ],
    ['a number of another type', [{ to: 14155550123 }], '`recipients[0].to` must be a string'],
    ['a long number', [{ to: '1'.repeat(33) }], '`recipients[0].to` must be 3 to 32 characters long'],
    ['an empty variable', [{ to, variables: [''] }], /^`recipients\[0\]\.variables` must be an array or an object/],
    ['a long variable', [{ to, variables: { name: long } }], /^`recipients\[0\]\.variables` must be/],
    ['a variable that is no text', [{ to, variables: [1] }], /^`recipients\[0\]\.variables` must be/],
    ['an empty reference', [{ to, clientReference: '' }], /^`recipients\[0\]\.clientReference` must be 1 to 128/],
    [
      'much metadata',
      [{ to, metadata: Object.fromEntries([...Array(17).keys()].map((key) => [`k${key}`, ''])) }],
      /metadata/,
    ],
    [
      'metadata that is no text',
      [{ to, metadata: { a: 1 } }],
      /^`recipients\[0\]\.metadata` must be null or an object of at most 16/,
    ],
    ['NUL', [{ to, clientReference: 'a\u0000' }], '`recipients[0].clientReference` must not contain the character NUL'],
    [
      'a lone surrogate',
      [{ to, variables: ['\ud800'] }],
      '`recipients[0].variables[0]` must not contain lone surrogates',
    ],
    ['none', [], '`recipients` must be an array of 1 to 100000 recipients'],
  ])('%s', (_what, recipients, refusal) => {
    const found = readText(JSON.stringify({ recipients })).refusal;
    if (typeof refusal === 'string') expect(found).toBe(refusal);
    else expect(found).toMatch(refusal);
  });

  it('names the first five, and takes none of them', () => {
    const faulty = new Set([2, 3, 5, 7, 11, 13]);
    const recipients = [...Array(20).keys()].map((index) => (faulty.has(index) ? {} : { to }));
    const found = readText(JSON.stringify({ recipients }));
    expect([...(found.refusal ?? '').matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index))).toEqual([
      2, 3, 5, 7, 11,
    ]);
    expect(found).toMatchObject({ total: 20, recipients: [{ to }, { to }] });
  });

  it('a name that reaches a prototype, and levels too deep', () => {
    expect(readText(`{"recipients":[{"to":"${to}","__proto__":{}}]}`).refusal).toBe(
      '`recipients[0]`: `__proto__` is not allowed as the name of a field',
    );
    const nested = (levels: number): string =>
      `{"recipients":[{"to":"${to}","a":${'['.repeat(levels)}${']'.repeat(levels)}}]}`;
    for (const levels of [29, 30]) {
      const expected = verdictOf(() => parseJsonBody(Buffer.from(nested(levels))));
      expect(readText(nested(levels)).refusal === null ? 'ok' : 'VALIDATION_FAILED').toBe(expected);
    }
  });

  it('more than 100,000, of which the rest is not looked at; an older answer under the key goes before it', () => {
    const body = new BulkBody();
    body.push(Buffer.from('{"recipients":['));
    const many = Buffer.from(`{"to":"x y"},`.repeat(50_000));
    body.push(many);
    body.push(many);
    expect(body.push(Buffer.from('{"to":"x y"}]}'))).toEqual([]);
    expect(body.end().refusal).toBe('`recipients` must be an array of 1 to 100000 recipients');
  });
});

describe('what is held of a body', () => {
  it('is bounded for a recipient, and for all that is none', () => {
    expect(verdictOf(() => readText(`{"recipients":[[${'"x",'.repeat(150_000)}1]]}`))).toBe('PAYLOAD_TOO_LARGE');
    expect(verdictOf(() => readText(`{"a":[${'"x",'.repeat(300_000)}1]}`))).toBe('PAYLOAD_TOO_LARGE');
    const spaces = ' '.repeat(2_000_000);
    expect(readText(`{${spaces}"recipients"${spaces}:[${spaces}{"to":"+14155550123"}${spaces}]}`).total).toBe(1);
  });

  it('reads numbers as far as that needs no region', () => {
    const recipients = ['+52 1 55 1234 5678', '(415) 555-0123', 'no number'].map((to) => ({ to }));
    expect(readText(JSON.stringify({ recipients })).recipients).toEqual([
      expect.objectContaining({ phone: { e164: '+5215512345678', subscriber: '+525512345678' } }),
      expect.objectContaining({ to: '(415) 555-0123', phone: null }),
      expect.objectContaining({ to: 'no number', phone: null }),
    ]);
  });

  it('passes by texts that no field takes, however long, and refuses in them what it refuses in others', () => {
    const long = (text: string, count = 40_000): string => text.repeat(count);
    const bodyOf = (text: string, inner = '"a"'): string =>
      `{"pad":"${text}","recipients":[{"to":"+14155550123","note":"${text}"}],"templateId":"c1234567","inner":${inner}}`;
    for (const text of [
      long('x', 3_000_000),
      long('\\n'),
      long('\\ud83d\\ude00'),
      long('\u{1f600}é'),
      long('\\"\\\\'),
    ]) {
      for (const cut of [bodyOf(text).length * 4, 65_537, 4_099]) {
        const found = read(Buffer.from(bodyOf(text)), [cut]);
        expect([found.refusal, found.total, found.fields['templateId']]).toEqual([null, 1, 'c1234567']);
      }
    }
    const x = long('x');
    const wrong = [
      `${x}\\u0000${x}`,
      `${x}\\ud83d${x}`,
      `${x}\\ude00`,
      `${x}\n`,
      `${x}\\q${x}`,
      `${x}\\u12`,
      `${x}\\ud83d`,
    ];
    for (const text of wrong) {
      const body = `{"pad":"${text}","recipients":[{"to":"+14155550123"}]}`;
      expect([text.slice(40_000, 40_008), verdictOf(() => readText(body))]).toEqual([
        text.slice(40_000, 40_008),
        verdictOf(() => parseJsonBody(Buffer.from(body))),
      ]);
      expect(verdictOf(() => readText(body))).not.toBe('ok');
    }
    const notUtf8 = Buffer.concat([
      Buffer.from(`{"pad":"${x}`),
      Buffer.of(0xc3, 0x28),
      Buffer.from(`${x}","recipients":[]}`),
    ]);
    expect(verdictOf(() => read(notUtf8))).toBe('MALFORMED_BODY');
    const variable = `{"templateId":"c1234567","recipients":[{"to":"+14155550123","variables":["${x}"]}]}`;
    expect(readText(variable).refusal).toContain('`recipients[0].variables`');
  });
});
