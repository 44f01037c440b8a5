import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemErrorCode } from './system-error.js';

const run = promisify(execFile);

/** The lasting identity of a process: pids are reused, a pid together with its time of birth is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; compared for equality only. */
  readonly born: string;
}

/**
 * Who a pid is at this moment.
 *
 * @returns undefined when there is no such process, or only its zombie.
 */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'linux') {
    // Field 22 is the start in ticks since boot, counted after the closing bracket of the name (a name may hold spaces).
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined) return undefined;
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return { pid, born: `${boot.trim()}:${fields[19] ?? ''}` };
  }
  const answer = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  const born = answer?.stdout.trim();
  return born === undefined || born === '' ? undefined : { pid, born };
}

/** Whether that very process (not another one that got its pid later) still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.born === identity.born;
}

/** The command line of a process, its arguments joined by spaces; undefined when it cannot be read. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return raw === undefined || raw === '' ? undefined : raw.replaceAll('\0', ' ').trim();
  }
  const answer = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return answer?.stdout.trim();
}

/**
 * Ends a process that this program did not spawn (a leftover of a killed parent): the signal, then SIGKILL.
 *
 * @param graceMs how long the first signal may take.
 * @returns once the process is gone; at once when it is gone already.
 * @throws the system's error when a signal is not permitted.
 */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    if (!(await isRunning(identity))) return;
    sendSignal(identity.pid, next);
    const deadline = Date.now() + (next === 'SIGKILL' ? 5_000 : graceMs);
    while (Date.now() < deadline) {
      if (!(await isRunning(identity))) return;
      await delay(20);
    }
  }
  throw new Error(`Process ${identity.pid} does not end, not even by SIGKILL.`);
}

/** Sends a signal; a process that is gone already is no error. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemErrorCode(error) !== 'ESRCH') throw error;
  }
}
