import { readFileSync } from 'node:fs';

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
