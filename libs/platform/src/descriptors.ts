import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors that this process has open. Undefined where there is no /proc, and for as long as all are taken. */
export function openDescriptors(): number | undefined {
  try {
    // One of them is that of the reading.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** Descriptors that this process may open. Undefined where there is no /proc, or no such limit. */
export function descriptorsMax(): number | undefined {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return max === undefined ? undefined : Number(max);
  } catch {
    return undefined;
  }
}
