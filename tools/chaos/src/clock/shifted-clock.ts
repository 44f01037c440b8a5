import { readFileSync } from 'node:fs';

/**
 * A preload (`node --import <this file>?offset=<path>`): shifts the wall clock of its process by the milliseconds that
 * the file at `offset` holds, read again ten times a second. Timers and monotonic time are as they were, as when an
 * operator or NTP sets a machine's clock.
 */
const offsetFile = new URL(import.meta.url).searchParams.get('offset') ?? '';
const READ_EVERY_MS = 100;
const RealDate = Date;
let offsetMs = 0;

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(offsetFile, 'utf8')) || 0;
  } catch {
    // Not written yet: no shift.
  }
}

function now(): number {
  return RealDate.now() + offsetMs;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget: object) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget as typeof Date) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : (Reflect.get(target, key, receiver) as unknown)),
});
readOffset();
setInterval(readOffset, READ_EVERY_MS).unref();
