import { readFileSync } from 'node:fs';

/** Of a process, as the kernel counts it. Source: proc(5), `/proc/pid/statm`, in pages of 4 KiB. */
export function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}
