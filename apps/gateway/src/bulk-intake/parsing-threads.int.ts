import { serialize } from 'node:v8';
import { afterAll, expect, it } from '@jest/globals';
import { ownedBytes } from './owned-bytes.js';
import { ParsingThreads } from './parsing-threads.js';
import type { RecipientChunk } from './recipient-chunks.js';

const threads = new ParsingThreads();
afterAll(() => threads.beforeApplicationShutdown());

const PIECE_BYTES = 64 * 1_024;
const RECIPIENTS = 20_000;

it('hands pieces and chunks over: nothing of a body stays with the event loop, and nothing is copied', async () => {
  const recipients = Array.from({ length: RECIPIENTS }, (_none, index) => ({
    to: `+1415${2_000_000 + index}`,
    metadata: { note: 'é'.repeat(100) },
  }));
  const body = Buffer.from(JSON.stringify({ templateId: 'c0123456789', recipients }));
  const parsed = threads.open();
  const chunks: RecipientChunk[] = [];
  for (let from = 0; from < body.length; from += PIECE_BYTES) {
    // As Node's HTTP parser makes it: memory of its own.
    const piece = new Uint8Array(body.subarray(from, from + PIECE_BYTES));
    chunks.push(...(await parsed.push(piece)));
    expect(piece.buffer.byteLength).toBe(0);
  }
  const { lastChunk, total, refusal } = await parsed.end();
  parsed.drop();
  if (lastChunk) chunks.push(lastChunk);
  expect([total, refusal]).toEqual([RECIPIENTS, null]);
  let next = 0;
  for (const { firstIndex, json } of chunks) {
    expect([firstIndex, json.buffer.byteLength]).toEqual([next, json.byteLength]);
    // What is written in one go: more would hold up other requests.
    expect(json.byteLength).toBeLessThanOrEqual(258 * 1_024);
    next += (JSON.parse(Buffer.from(json).toString()) as unknown[]).length;
  }
  expect(next).toBe(RECIPIENTS);
});

it('hands over little of what is no recipient, however much it is: it would be cloned by the event loop', async () => {
  const parsed = threads.open();
  const surplus = '{},'.repeat(330_000);
  const text = `{"more":[${surplus}{}],"recipients":[{"to":"+14155550123"}],"templateId":"c0123456789"}`;
  await parsed.push(new Uint8Array(Buffer.from(text)));
  const { lastChunk, ...end } = await parsed.end();
  parsed.drop();
  expect(lastChunk).not.toBeNull();
  expect(end).toMatchObject({ fields: { templateId: 'c0123456789' }, total: 1 });
  expect(serialize(end).byteLength).toBeLessThan(1_024);
});

it('fails a body whose thread has ended between two pieces, and parses the next one', async () => {
  const ended = new ParsingThreads();
  const piece = (): Uint8Array => new Uint8Array(Buffer.from('{"recipients":['));
  const body = ended.open();
  await body.push(piece());
  await ended.beforeApplicationShutdown();
  await expect(body.push(piece())).rejects.toThrow('the parsing thread has ended');
  await expect(body.end()).rejects.toThrow('the parsing thread has ended');
  body.drop();
  const next = ended.open();
  expect(await next.push(piece())).toEqual([]);
  next.drop();
  await ended.beforeApplicationShutdown();
});

it('copies what lies in memory that is not its own', () => {
  const whole = new Uint8Array([1, 2, 3, 4]);
  expect(ownedBytes(whole).buffer).toBe(whole.buffer);
  const part = ownedBytes(whole.subarray(1, 3));
  expect([part.buffer === whole.buffer, [...part]]).toEqual([false, [2, 3]]);
});
