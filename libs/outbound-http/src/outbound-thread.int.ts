import { Session } from 'node:inspector';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { RawReceivers, response } from '../test/raw-receiver.js';
import { sent } from '../test/sent.js';
import { OutboundThread } from './index.js';

const thread = new OutboundThread({ allowPrivate: true, refusedHosts: [] });
const receivers = new RawReceivers();

const receiver: RawReceivers['start'] = (answer) => receivers.start(answer);

const once = { headers: {}, body: Buffer.from('{"n":1}') };

afterEach(() => receivers.stop());

afterAll(() => thread.close());

describe('a request of a thread', () => {
  it('carries exactly the bytes and the given headers, and has the response', async () => {
    const own = await receiver((socket) => socket.write(response(200, [], 'ok')));
    const end = await sent(thread, own.url, { headers: { 'x-own': 'ab' } });
    expect(end).toMatchObject({ state: 'answered', status: 200, body: 'ok', isCut: false });
    const [request = ''] = own.requests;
    expect(request.endsWith('\r\n\r\n{"n":1}')).toBe(true);
    expect(request).toMatch(/^x-own: ab$/im);
  });

  it('leaves the caller its body', async () => {
    const own = await receiver((socket) => socket.write(response(200)));
    const body = Buffer.from('{"n":2}');
    await sent(thread, own.url, { body });
    expect(body.toString()).toBe('{"n":2}');
  });

  it('goes to no address that the guard refuses', async () => {
    const own = await receiver((socket) => socket.write(response(200)));
    const strict = new OutboundThread({ allowPrivate: false, refusedHosts: [] });
    const other = new OutboundThread({ allowPrivate: true, refusedHosts: [{ host: '127.0.0.1', port: own.port }] });
    try {
      for (const by of [strict, other]) expect(await sent(by, own.url)).toMatchObject({ error: 'url not allowed' });
      expect(own.sockets).toHaveLength(0);
      expect(await sent(thread, own.url)).toMatchObject({ status: 200 });
    } finally {
      await Promise.all([strict.close(), other.close()]);
    }
  });

  it('ends when its caller gives it up, before and after it has begun', async () => {
    const asked = Promise.withResolvers<void>();
    const own = await receiver(() => asked.resolve());
    const controller = new AbortController();
    const ended = sent(thread, own.url, { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect(await ended).toMatchObject({ state: 'failed', error: 'aborted' });
    expect(await thread.post({ ...once, url: own.url, signal: controller.signal })).toMatchObject({ error: 'aborted' });
    expect(own.requests).toHaveLength(1);
  });

  it('ends at the deadline', async () => {
    const own = await receiver(() => undefined);
    const hasty = new OutboundThread({ allowPrivate: true, refusedHosts: [], deadlineMs: 2_000 });
    try {
      expect(await sent(hasty, own.url)).toMatchObject({ state: 'failed', error: 'no response' });
    } finally {
      await hasty.close();
    }
  });
});

describe('a thread that ends', () => {
  it('ends what it had under way as aborted, and the next request has a new one', async () => {
    const asked = Promise.withResolvers<void>();
    const own = await receiver((socket) => {
      if (own.requests.length === 1) asked.resolve();
      else socket.write(response(200, [], 'ok'));
    });
    const ended = sent(thread, own.url);
    await asked.promise;
    await thread.close();
    const lost = await ended;
    expect(lost).toMatchObject({ state: 'failed', error: 'aborted', reason: expect.stringContaining('has ended') });
    expect(lost.durationMs).toBeGreaterThan(0);
    expect(await sent(thread, own.url)).toMatchObject({ state: 'answered', body: 'ok' });
  });

  it('has sent nothing when it cannot start', async () => {
    const own = await receiver((socket) => socket.write(response(200)));
    // What no thread can be given.
    const unable = new OutboundThread({ allowPrivate: true, refusedHosts: [(() => undefined) as never] });
    expect(await unable.post({ ...once, url: own.url })).toMatchObject({ state: 'failed', error: 'never sent' });
    expect(own.sockets).toHaveLength(0);
  });

  it('is replaced when it stands still: what it owes ends as aborted, and the next request has a new one', async () => {
    const own = await receiver((socket) => socket.write(response(200, [], 'ok')));
    const deadlineMs = 5_000;
    const stuck = new OutboundThread({ allowPrivate: true, refusedHosts: [], deadlineMs });
    try {
      // Already works, before any request.
      await stuck.start();
      await standStill(deadlineMs);
      expect(await stuck.post({ ...once, url: own.url })).toMatchObject({
        error: 'aborted',
        reason: 'the thread does not answer',
      });
      expect(await sent(stuck, own.url)).toMatchObject({ state: 'answered', body: 'ok' });
    } finally {
      await stuck.close();
    }
  });
});

/** Has the thread with this deadline run a loop without end, as a debugger can. */
async function standStill(deadlineMs: number): Promise<void> {
  const session = new Session();
  const attached: string[] = [];
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params }) => attached.push(params.sessionId));
  await new Promise((resolve) => session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, resolve));
  const { promise: allEvaluated, resolve: onAll } = Promise.withResolvers<void>();
  let evaluated = 0;
  // Each answers before the loop begins.
  session.on('NodeWorker.receivedMessageFromWorker', () => ++evaluated === attached.length && onAll());
  const expression = `const { workerData } = process.getBuiltinModule('node:worker_threads');
    if (workerData.deadlineMs === ${deadlineMs}) setImmediate(() => { for (;;); });`;
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
  for (const sessionId of attached) session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  await allEvaluated;
  session.disconnect();
}
