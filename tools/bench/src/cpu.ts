import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

/** Microseconds of CPU that the machine has spent so far, this process left out: every server, database and broker. */
export function othersCpuMicros(): number {
  const own = process.cpuUsage();
  return machineCpuMicros() - own.user - own.system;
}

/** Source: proc(5), `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal in ticks. */
function machineCpuMicros(): number {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = first.trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = ticks;
  return (user + nice + system + irq + softirq) * TICK_MS * 1_000;
}

/** Microseconds of CPU that processes and all below them have spent so far, those that have ended since included. */
export function treesCpuMicros(roots: readonly number[]): number {
  const processes = new Map(readdirSync('/proc').flatMap((name) => statOf(name)));
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (roots.includes(at)) return true;
    return false;
  };
  let micros = 0;
  for (const [pid, { ticks }] of processes) if (isBelow(pid)) micros += ticks * TICK_MS * 1_000;
  return micros;
}

/**
 * Source: proc(5), `/proc/pid/stat`: fields 4 (parent), 14 to 17 (user and system time, its own and
 * that of children that have ended), behind the name in brackets.
 */
function statOf(name: string): [number, { readonly parent: number; readonly ticks: number }][] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [[Number(name), { parent: Number(fields[1]), ticks }]];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
