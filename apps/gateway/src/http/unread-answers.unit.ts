import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing';
import type { OpenRequests } from './open-requests.js';
import { UnreadAnswers } from './unread-answers.js';

/** More than the buffers of both kernels hold. */
const LARGE = Buffer.alloc(64 * 1_024 * 1_024, 'a');

describe('an answer', () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  /** An answer on its way to a client that reads only what a test reads. */
  async function answering(write: (response: ServerResponse) => void) {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    closing.push(() => {
      client.destroy();
      server.closeAllConnections();
      server.close();
    });
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    write(response);
    const open = { olderThan: () => [{ request: { raw: request }, reply: { raw: response } }] };
    const clock = { nowMs: 0, now: () => 0, monotonic: () => clock.nowMs };
    const unread = new UnreadAnswers(open as unknown as OpenRequests, clock);
    const sweepAfter = (ms: number): boolean => {
      clock.nowMs += ms;
      unread.sweep();
      return request.socket.destroyed;
    };
    return { client, socket: request.socket, sweepAfter };
  }

  /** What is written is in the kernel's hands as far as it takes it. */
  const isHandedOver = async (socket: Socket): Promise<void> => {
    const left = (): unknown => Reflect.get(Object(Reflect.get(socket, '_handle')), 'writeQueueSize');
    let before: unknown;
    await eventually(() => {
      const isSame = left() === before;
      before = left();
      return isSame;
    });
  };

  const readSome = async (client: Socket, bytes: number): Promise<void> => {
    for (let read = 0; read < bytes;) {
      const piece = client.read() as Buffer | null;
      if (piece) read += piece.length;
      else await once(client, 'readable');
    }
  };

  it('of which the client takes nothing for two minutes ends with its connection', async () => {
    const { socket, sweepAfter } = await answering((response) => response.end(LARGE));
    await isHandedOver(socket);
    expect([sweepAfter(0), sweepAfter(119_999), sweepAfter(1)]).toEqual([false, false, true]);
  });

  it('that is read on, however slowly, goes on, although it is one write', async () => {
    const { client, socket, sweepAfter } = await answering((response) => response.end(LARGE));
    await isHandedOver(socket);
    for (let turn = 0; turn < 4; turn++) {
      expect(sweepAfter(119_000)).toBe(false);
      const before = client.bytesRead;
      await readSome(client, 12 * 1_024 * 1_024);
      expect(client.bytesRead).toBeGreaterThan(before);
      await isHandedOver(socket);
    }
    expect(sweepAfter(119_000)).toBe(false);
  });

  it('that is taken whole, or still being written, stays', async () => {
    const whole = await answering((response) => response.end('a'));
    await eventually(() => whole.socket.writableLength === 0);
    expect([whole.sweepAfter(0), whole.sweepAfter(60_000)]).toEqual([false, false]);
    const stream = await answering((response) => response.write(LARGE));
    await isHandedOver(stream.socket);
    expect([stream.sweepAfter(0), stream.sweepAfter(60_000)]).toEqual([false, false]);
  });
});
