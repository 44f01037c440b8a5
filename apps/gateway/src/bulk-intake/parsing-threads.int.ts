import { serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, it, jest } from '@jest/globals';
import { ownedBytes } from './owned-bytes.js';
import { ParsingThreads, type ParsedBody } from './parsing-threads.js';
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
  const surplus = `"${'x'.repeat(900_000)}",${'{},'.repeat(4_000)}`;
  const text = `{"more":[${surplus}{}],"recipients":[{"to":"+14155550123"}],"templateId":"c0123456789"}`;
  await parsed.push(new Uint8Array(Buffer.from(text)));
  const { lastChunk, ...end } = await parsed.end();
  parsed.drop();
  expect(lastChunk).not.toBeNull();
  expect(end).toMatchObject({ fields: { templateId: 'c0123456789' }, total: 1 });
  expect(serialize(end).byteLength).toBeLessThan(1_024);
});

it('holds little of many faulty bodies, and ends no thread', async () => {
  const name = `\u0100${'n'.repeat(15_000)}`;
  const nested = (levels: number): unknown => (levels === 0 ? '\u0000' : { [name]: nested(levels - 1) });
  const faulty = JSON.stringify({ to: '+14155550123', surplus: nested(29) });
  const open = Array.from({ length: 32 }, () => threads.open());
  const push = async (body: ParsedBody, text: string): Promise<void> => {
    for (let from = 0; from < text.length; from += PIECE_BYTES) {
      await body.push(new Uint8Array(Buffer.from(text.slice(from, from + PIECE_BYTES))));
    }
  };
  for (const body of open) await push(body, `{"recipients":[${`${faulty},`.repeat(5)}`);
  await Promise.all(open.map((body) => push(body, `${'['.repeat(250_000)}${']'.repeat(250_000)}]}`)));
  for (const body of open) {
    const { refusal } = await body.end();
    expect(refusal).toContain('`recipients[4].surplus.');
    body.drop();
  }
});

it('refuses a body whose thread has ended between two pieces as one that may be sent again, and parses the next one', async () => {
  const ended = new ParsingThreads();
  const piece = (): Uint8Array => new Uint8Array(Buffer.from('{"recipients":['));
  const body = ended.open();
  await body.push(piece());
  await ended.beforeApplicationShutdown();
  await expect(body.push(piece())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  await expect(body.end()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  body.drop();
  const next = ended.open();
  expect(await next.push(piece())).toEqual([]);
  next.drop();
  await ended.beforeApplicationShutdown();
});

it('fails the body at which a thread ended by a bug, and refuses its others as ones that may be sent again', async () => {
  const posted = jest.spyOn(Worker.prototype, 'postMessage');
  const broken = new ParsingThreads();
  // At least two in each thread, however many there are.
  const bodies = Array.from({ length: 8 }, () => broken.open());
  const piece = (): Uint8Array => new Uint8Array(Buffer.from('{"recipients":['));
  await Promise.all(bodies.map((body) => body.push(piece())));
  const [thread] = posted.mock.contexts as Worker[];
  posted.mockRestore();
  thread?.postMessage({ kind: 'piece' });
  const results = await Promise.allSettled(bodies.map((body) => body.push(piece())));
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  expect(reasons[0]).toBe('Error: the parsing thread has ended');
  expect(new Set(reasons.slice(1))).toEqual(new Set(['AppError: The service cannot answer the request at the moment']));
  await broken.beforeApplicationShutdown();
});

it('copies what lies in memory that is not its own', () => {
  const whole = new Uint8Array([1, 2, 3, 4]);
  expect(ownedBytes(whole).buffer).toBe(whole.buffer);
  const part = ownedBytes(whole.subarray(1, 3));
  expect([part.buffer === whole.buffer, [...part]]).toEqual([false, [2, 3]]);
});
