import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endNatsOf, findNatsServer, identifyProcess, isRunning, startNats } from './index.js';

const folder = await mkdtemp(join(tmpdir(), 'switchboard-nats-'));
const cacheDir = join(import.meta.dirname, '..', '..', '..', '.cache');
const binary = await findNatsServer({ cacheDir });

afterAll(async () => {
  for (const name of ['one', 'two', 'orphan']) await endNatsOf(join(folder, name));
  await rm(folder, { recursive: true, force: true });
});

/** Repeats an expectation until it holds, for at most 2 minutes: no signal announces the end of another process's child. */
async function eventually(expectation: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + 120_000; ; await delay(20)) {
    try {
      return await expectation();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Asks a JetStream API subject over the plain protocol: this library is not to depend on a client. */
function ask(port: number, subject: string, body: object, options: object = {}): Promise<string> {
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setTimeout(60_000, () => socket.destroy(new Error(`no answer: ${received}`)));
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const answer = /MSG _INBOX\.1 1 \d+\r\n(.*)\r\n/.exec(received)?.[1] ?? /-ERR .*/.exec(received)?.[0];
      if (answer === undefined) return;
      socket.destroy();
      resolve(answer);
    });
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...options })}\r\nSUB _INBOX.1 1\r\n`);
    socket.write(`PUB ${subject} _INBOX.1 ${payload.length}\r\n${payload}\r\n`);
  });
}

describe('embedded NATS', () => {
  it('runs side by side, and keeps its stream and its port over SIGKILL and over an ordinary restart', async () => {
    const [one, two] = await Promise.all([
      startNats({ binary, dataDir: join(folder, 'one'), monitoring: true }),
      startNats({ binary, dataDir: join(folder, 'two') }),
    ]);
    try {
      expect(one.port).not.toBe(two.port);
      expect(one.monitoringUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
      const created = await ask(one.port, '$JS.API.STREAM.CREATE.KEPT', { name: 'KEPT', subjects: ['kept.>'] });
      expect(created).toContain('stream_create_response');
      expect(await ask(one.port, 'kept.a', {})).toContain('"seq":1');
      expect(await ask(two.port, '$JS.API.STREAM.INFO.KEPT', {})).toContain('stream not found');
      for (const mode of ['kill', 'stop'] as const) {
        await one.restart(mode);
        expect(await ask(one.port, '$JS.API.STREAM.INFO.KEPT', {})).toContain('"messages":1');
      }
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
    expect(await identifyProcess(one.pid)).toBeUndefined();
  });

  it('lets in only the users of its configuration, which other accounts cannot read', async () => {
    const dataDir = join(folder, 'one');
    const configText = 'authorization { users: [ { user: "a", password: "secret" } ] }';
    const server = await startNats({ binary, dataDir, configText });
    try {
      expect(await ask(server.port, 'x', {})).toContain('Authorization Violation');
      const asked = await ask(server.port, '$JS.API.INFO', {}, { user: 'a', pass: 'secret' });
      expect(asked).toContain('account_info_response');
      expect((await stat(join(dataDir, 'nats.conf'))).mode & 0o777).toBe(0o600);
    } finally {
      await server.stop();
    }
  });

  it('ends the server that a killed parent left on the folder', async () => {
    const dataDir = join(folder, 'orphan');
    const left = await startNats({ binary, dataDir });
    expect(await endNatsOf(dataDir)).toBe(true);
    expect(await identifyProcess(left.pid)).toBeUndefined();
    expect(await endNatsOf(dataDir)).toBe(false);
  });

  it('ends with the process that started it, also when that one is killed by SIGKILL', async () => {
    const library = join(import.meta.dirname, '..', 'dist', 'index.js');
    const options = JSON.stringify({ binary, dataDir: join(folder, 'orphan') });
    const program = `import { startNats } from ${JSON.stringify(library)};
      console.log((await startNats(${options})).pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const server = await identifyProcess(Number(said.toString()));
    if (server === undefined) throw new Error('not started');
    parent.kill('SIGKILL');
    await eventually(async () => expect(await isRunning(server)).toBe(false));
  });

  it('says of a server that ended how it did', async () => {
    const mute = join(folder, 'mute');
    await writeFile(mute, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    await expect(startNats({ binary: mute, dataDir: join(folder, 'silent') })).rejects.toThrow(
      /^NATS did not start: exit code 3 \(log: /,
    );
  });

  it('passes by a server on the PATH that is too old, and refuses one that was named', async () => {
    const old = join(folder, 'old');
    await mkdir(old);
    await writeFile(join(old, 'nats-server'), '#!/bin/sh\necho "nats-server: v2.9.10"\n');
    await chmod(join(old, 'nats-server'), 0o755);
    expect(await findNatsServer({ cacheDir, environment: { PATH: old } })).not.toContain(old);
    const named = { NATS_SERVER_BIN: join(old, 'nats-server') };
    await expect(findNatsServer({ cacheDir, environment: named })).rejects.toThrow('2.9.10; 2.10 or newer is needed');
  });
});
