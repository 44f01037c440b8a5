import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TcpLink } from './tcp-link.js';

describe('a link', () => {
  let echo: Server;
  let link: TcpLink;
  let url: URL;
  const clients: Socket[] = [];

  beforeEach(async () => {
    echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    link = await TcpLink.open();
    url = new URL(link.through(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`));
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await link.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  async function joined(): Promise<Socket> {
    const client = connect(Number(url.port), url.hostname);
    client.on('error', () => undefined);
    clients.push(client);
    await once(client, 'connect');
    return client;
  }

  async function answer(client: Socket, text: string): Promise<string> {
    client.write(text);
    const [chunk] = (await once(client, 'data')) as [Buffer];
    return chunk.toString();
  }

  it('passes both ways', async () => {
    expect(await answer(await joined(), 'hello')).toBe('hello');
  });

  it('holds everything back while it is frozen, without closing, and goes on where it was', async () => {
    const client = await joined();
    await answer(client, 'before');
    link.freeze();
    client.write('meanwhile');
    const late = await joined();
    late.write('later');
    // What another connection past the link brings back has had its time.
    const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    clients.push(direct);
    expect(await answer(direct, 'direct')).toBe('direct');
    expect([client.bytesRead, late.bytesRead, client.destroyed]).toEqual(['before'.length, 0, false]);
    const both = Promise.all([once(client, 'data'), once(late, 'data')]);
    await link.heal();
    expect((await both).map(([chunk]) => String(chunk))).toEqual(['meanwhile', 'later']);
  });

  it('resets what is connected and refuses what comes while it is cut, and takes it when healed', async () => {
    const client = await joined();
    await answer(client, 'before');
    const closed = new Promise((resolve) => client.once('close', resolve));
    await link.cut();
    await closed;
    await expect(joined()).rejects.toThrow('ECONNREFUSED');
    await link.heal();
    expect(await answer(await joined(), 'after')).toBe('after');
  });
});
