import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..', '..', '..');

/** What a program writes that logs, and how many writes it took. */
async function logged(program: string): Promise<{ lines: unknown[]; writes: number }> {
  const source = `
    import fs from 'node:fs';
    import { createLog } from '@switchboard/platform';
    const { writeSync } = fs;
    let writes = 0;
    fs.writeSync = (...given) => (writes++, writeSync(...given));
    process.once('exit', () => process.stderr.write(String(writes)));
    const [log, other] = [createLog('test'), createLog('other')];
    ${program}`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', source], { cwd: root });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { lines: lines.map((line) => JSON.parse(line) as unknown), writes: Number(stderr) };
}

/** What of many lines comes through while its reader stands still for as long as the program counts its turns; ends when it has ended. */
async function loggedUnread(command: string): Promise<unknown[]> {
  const source = `
    import { createLog } from '@switchboard/platform';
    const log = createLog('test');
    log.info('first');
    let turns = 0;
    const timer = setInterval(() => {
      for (let n = 0; n < 20; n++) log.info('much', { text: 'x'.repeat(1_000) });
      if (++turns === 100) process.stderr.write('turned');
      if (turns === 10_000) process.exit(1);
    }, 1);
    process.once('SIGUSR2', () => {
      clearInterval(timer);
      let left = 40;
      setInterval(() => {
        log.info('last');
        if (--left === 0) process.exit(0);
      }, 50);
    });
    process.stderr.write(process.pid + ' ');`;
  const child = spawn('sh', ['-c', command, process.execPath, '--input-type=module', '--eval', source], { cwd: root });
  const ended = once(child, 'close');
  let said = '';
  for await (const part of child.stderr) {
    said += String(part);
    if (said.endsWith('turned')) break;
  }
  let text = '';
  child.stdout.on('data', (part) => (text += String(part)));
  child.stdin.end('read on\n');
  await once(child.stdout, 'data');
  process.kill(Number(said.split(' ')[0]), 'SIGUSR2');
  await ended;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe('lines of a log', () => {
  it('of one turn leave in one write, in their order, and those of a later turn in the next', async () => {
    const { lines, writes } = await logged(`
      for (let n = 0; n < 50; n++) (n % 2 ? other : log).info('first.turn', { n });
      setImmediate(() => setImmediate(() => log.info('second.turn')));`);
    expect(lines).toMatchObject([
      ...Array.from({ length: 50 }, (_, n) => ({ event: 'first.turn', service: n % 2 ? 'other' : 'test', n })),
      { event: 'second.turn' },
    ]);
    expect(writes).toBe(2);
  });

  it('are written before the process ends by itself', async () => {
    const { lines } = await logged(`log.info('last.line'); process.exit(0);`);
    expect(lines).toMatchObject([{ event: 'last.line' }]);
  });

  it('wait while they cannot be written, end nothing, and are dropped when they become too many', async () => {
    const { lines } = await logged(`
      const writable = fs.writeSync;
      fs.writeSync = () => {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      };
      log.info('waits');
      setImmediate(() => setImmediate(() => {
        for (let n = 0; n < 3_000; n++) log.info('much', { text: 'x'.repeat(1_000) });
        setImmediate(() => setImmediate(() => {
          fs.writeSync = writable;
          log.info('again');
          setImmediate(() => setImmediate(() => log.info('last')));
        }));
      }));`);
    expect(lines[0]).toMatchObject({ event: 'waits' });
    expect(lines.length).toBeGreaterThan(500);
    expect(lines.length).toBeLessThan(2_000);
    expect(lines.at(-1)).toMatchObject({ event: 'last' });
  });

  it.each([
    ['socket', 'exec "$0" "$@"'],
    ['pipe', 'exec 3<&0; "$0" "$@" | { read go <&3; cat; }'],
  ])('wait while the reader of a %s stands still, and hold up nothing', async (_kind, command) => {
    const lines = await loggedUnread(command);
    expect(lines[0]).toMatchObject({ event: 'first' });
    expect(lines.at(-1)).toMatchObject({ event: 'last' });
    expect(lines.length).toBeGreaterThan(500);
  });

  it('of a turn that writes much are all written', async () => {
    const { lines } = await logged(`for (let n = 0; n < 2_000; n++) log.info('many', { n });`);
    expect(lines).toHaveLength(2_000);
  });
});
