import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isInDoubt, Reply, replyIn } from './reply.js';

const target = { to: '+14155550123', messagingChannelId: 'cchannel0' };
const sent = () => Response.json({ id: 'cmessage0' });
const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  Response.json({ error: { code: 'REFUSED', message: 'No' } }, { status, headers });
const offline = () => Promise.reject(new TypeError('fetch failed'));

describe('a reply', () => {
  /** The key and the text of each request. */
  let requests: { readonly key: string | null; readonly text: string }[];
  let answer: () => Response | Promise<Response>;
  let reply: Reply;

  beforeEach(() => {
    requests = [];
    answer = sent;
    reply = new Reply();
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (_path, { headers, body } = {}) => {
      const { text } = JSON.parse(String(body)) as { readonly text: string };
      requests.push({ key: new Headers(headers).get('idempotency-key'), text });
      return answer();
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Sends a text that is answered so, and the same text again. @returns whether both had the same key */
  async function isKeyKept(first: () => Response | Promise<Response>): Promise<boolean> {
    reply = new Reply();
    requests = [];
    reply.write('Hello');
    answer = first;
    expect(await reply.send(target)).toBeNull();
    answer = sent;
    expect(await reply.send(target)).toBe('cmessage0');
    expect(requests.map(({ text }) => text)).toEqual(['Hello', 'Hello']);
    return requests[0]?.key === requests[1]?.key;
  }

  it('keeps its key while the first request may be under way, or was refused for its sender and not for itself', async () => {
    const inFlight = () => refusal(409, { 'retry-after': '1' });
    const statuses = [401, 403, 408, 429, 500, 502, 503];
    for (const first of [inFlight, offline, ...statuses.map((status) => () => refusal(status))]) {
      expect(await isKeyKept(first)).toBe(true);
    }
    // Stored perhaps, and judged anew by a repetition.
    expect(await isKeyKept(() => refusal(403, { 'x-message-id': 'cmessage0' }))).toBe(true);
  });

  it('takes another key once the provider has refused the message: under the former one the answer stays the same', async () => {
    const refused = { 'x-message-id': 'cmessage0', 'x-upstream-code': '131047' };
    for (const status of [400, 403]) expect(await isKeyKept(() => refusal(status, refused))).toBe(false);
    expect(await isKeyKept(() => refusal(403, { 'x-message-id': 'cmessage0', 'idempotent-replayed': 'true' }))).toBe(
      false,
    );
  });

  it('takes another key for another text, another number, and the same text after it went out', async () => {
    answer = () => refusal(503);
    reply.write('Hello');
    await reply.send(target);
    reply.write('Hello!');
    await reply.send(target);
    answer = sent;
    await reply.send({ ...target, to: '+14155550124' });
    reply.write('Hello!');
    await reply.send({ ...target, to: '+14155550124' });
    expect(new Set(requests.map(({ key }) => key)).size).toBe(4);
  });

  it('leaves what is typed while it is under way, and sends nothing else meanwhile', async () => {
    reply.write('  Hello\n');
    const sending = reply.send(target);
    expect(reply.read()).toMatchObject({ text: '', isSending: true });
    reply.write('And more');
    expect(await reply.send(target)).toBeNull();
    expect(await sending).toBe('cmessage0');
    expect(reply.read()).toEqual({ text: 'And more', isSending: false, unsent: null, problem: null });
    expect(requests.map(({ text }) => text)).toEqual(['Hello']);
  });

  it('comes back into the field when it failed', async () => {
    answer = offline;
    reply.write('Hello');
    await reply.send(target);
    expect(reply.read()).toMatchObject({ text: 'Hello', isSending: false, unsent: null, problem: { status: 0 } });
  });

  it('waits apart when it failed and other text was typed: it is sent again first, under its key', async () => {
    answer = offline;
    reply.write('Hello');
    const sending = reply.send(target);
    reply.write('And more');
    await sending;
    expect(reply.read()).toMatchObject({ text: 'And more', unsent: 'Hello' });
    expect(await reply.send(target)).toBeNull();
    answer = sent;
    expect(await reply.sendUnsent(target)).toBe('cmessage0');
    expect(reply.read()).toEqual({ text: 'And more', isSending: false, unsent: null, problem: null });
    expect(await reply.send(target)).toBe('cmessage0');
    expect(requests.map(({ text }) => text)).toEqual(['Hello', 'Hello', 'And more']);
    expect(requests[0]?.key).toBe(requests[1]?.key);
  });

  it('can be edited when it waits apart, before what was typed', async () => {
    answer = () => refusal(400);
    reply.write('Hello');
    const sending = reply.send(target);
    reply.write('And more');
    await sending;
    reply.editUnsent();
    expect(reply.read()).toMatchObject({ text: 'Hello\nAnd more', unsent: null });
  });

  it('reports each change, until the listener leaves', () => {
    const seen: string[] = [];
    const end = reply.subscribe(() => seen.push(reply.read().text));
    reply.write('a');
    end();
    reply.write('ab');
    expect(seen).toEqual(['a']);
  });

  it('is one for each conversation, and stays while another is read', () => {
    replyIn('cfirst00').write('Hello');
    expect([replyIn('csecond0').read().text, replyIn('cfirst00').read().text]).toEqual(['', 'Hello']);
  });

  it('may have gone out unless it was refused', async () => {
    const doubts: boolean[] = [];
    for (const first of [offline, () => refusal(503), () => refusal(409), () => refusal(400), () => refusal(429)]) {
      reply = new Reply();
      reply.write('Hello');
      answer = first;
      await reply.send(target);
      const { problem } = reply.read();
      doubts.push(problem !== null && isInDoubt(problem));
    }
    expect(doubts).toEqual([true, true, true, false, false]);
  });
});
