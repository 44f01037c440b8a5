import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type DevConfig, supervisorEnvironment } from './dev.config.js';
import { logLine } from './log-line.js';
import { startStack } from './start-stack.js';
import { summarize } from './summary.js';

/** Messages of a detached supervisor to the command that started it. */
type DetachedMessage = { line: string } | { isReady: true } | { failure: string };

/**
 * `npm start`: starts everything, says what to try, and ends everything at Ctrl-C, SIGTERM, or when the command that
 * started it is gone. With `--detach` a supervisor of its own does so, and this returns once it is ready.
 *
 * @returns the exit code.
 */
export async function start(config: DevConfig): Promise<number> {
  const isSupervisor = config.isDetachedSupervisor;
  if (config.isDetached && !isSupervisor) return startDetached(config);
  const onLine = isSupervisor ? tellParent : (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    return await supervise(config, onLine, isSupervisor);
  } catch (error) {
    if (!isSupervisor) throw error;
    send({ failure: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

async function supervise(config: DevConfig, onLine: (line: string) => void, isSupervisor: boolean): Promise<number> {
  const begun = performance.now();
  const ending = new AbortController();
  let hasSaid = false;
  const end = (): void => {
    if (!hasSaid) onLine('\n  stopping …');
    hasSaid = true;
    ending.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // The entry script is gone, however it ended: no signal of a user would reach us any more. A detached supervisor outlives it.
  if (!isSupervisor && process.connected) process.on('disconnect', end);

  const { port, simulator, host, dataDir, databaseUrl, natsUrl, replicas, isReset, passed } = config;
  onLine('\nSwitchboard\n');
  const options = {
    dataDir,
    port,
    host,
    simulator,
    onLine,
    databaseUrl,
    natsUrl,
    replicas,
    reset: isReset,
    environment: passed,
  };
  const stack = await startStack({ ...options, signal: ending.signal }).catch((error: unknown) => {
    process.off('disconnect', end);
    if (ending.signal.aborted) return undefined;
    throw error;
  });
  if (stack === undefined) return 130;
  const seconds = (performance.now() - begun) / 1000;
  const allowsPrivate = (passed['WEBHOOKS_ALLOW_PRIVATE'] ?? 'true') === 'true';
  onLine(summarize(stack.devJson, { dataDir, seconds, isDetached: isSupervisor, allowsPrivate }));
  if (isSupervisor) send({ isReady: true });
  if (!ending.signal.aborted) {
    // A pending promise does not keep Node alive, and the channel of a detached supervisor is closed by now.
    const alive = setInterval(() => undefined, 1 << 30);
    await new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve(), { once: true }));
    clearInterval(alive);
  }
  await stack.stop();
  process.off('disconnect', end);
  onLine('  stopped');
  return 0;
}

async function startDetached(config: DevConfig): Promise<number> {
  await mkdir(join(config.dataDir, 'logs'), { recursive: true });
  const log = await open(join(config.dataDir, 'logs', 'supervisor.log'), 'a', 0o600);
  const args = ['start', ...(config.isReset ? ['--reset'] : [])];
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    env: supervisorEnvironment(),
  });
  await log.close();
  const interrupt = (): void => void child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return new Promise((resolve) => {
    let hasFailed = false;
    child.on('message', (message: DetachedMessage) => {
      if ('line' in message) process.stdout.write(`${message.line}\n`);
      if ('failure' in message) {
        hasFailed = true;
        process.stderr.write(`\n${message.failure}\n`);
      }
      if ('isReady' in message) {
        child.disconnect();
        child.unref();
        resolve(0);
      }
    });
    child.once('exit', (code) => {
      if (!hasFailed && code !== 130)
        process.stderr.write('\nThe supervisor ended before it was ready: see its log.\n');
      resolve(code ?? 1);
    });
  });
}

/** While the starting command listens, lines are for it; afterwards they go to the supervisor's own log. */
function tellParent(line: string): void {
  if (process.connected) send({ line });
  else logLine(line);
}

function send(message: DetachedMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
