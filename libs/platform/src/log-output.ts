import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { pino } from 'pino';

/** What takes lines of a log. */
export interface LogOutput {
  write(line: string): void;
}

const STANDARD_OUTPUT = 1;
/** As much is written at once, however long the turn lasts. */
const PIECE_CHARACTERS = 16_384;
/** So much waits while nothing can be written; what comes then is dropped. */
const WAITING_CHARACTERS_MAX = 1_000_000;
const RETRY_MS = 20;
/** For so long an end of the process waits for a reader that stands still. */
const END_MS = 500;
let output: LogOutput | undefined;

/**
 * Standard output. The lines of one turn of the event loop leave in one write, as a system call for each costs more than the line
 * itself. An end of the process writes what is left; a kill loses the lines of that turn. Neither a file on a full disk nor a pipe
 * whose reader stands still ends a service or holds it up.
 */
export function standardOutput(): LogOutput {
  return (output ??= makeOutput());
}

function makeOutput(): LogOutput {
  refuseToWait();
  const stream = pino.destination({ sync: true, retryEAGAIN: () => false });
  let text = '';
  let isDue = false;
  let hasFailed = false;
  let retry: NodeJS.Timeout | undefined;
  // It keeps what it could not write.
  stream.on('error', () => (hasFailed = true));
  const write = (): void => {
    if (hasFailed) {
      hasFailed = false;
      stream.write('');
    }
    if (hasFailed || text === '') return;
    stream.write(text);
    text = '';
  };
  const flush = (): void => {
    isDue = false;
    write();
    if (hasFailed) retry ??= setTimeout(flushLater, RETRY_MS).unref();
  };
  const flushLater = (): void => {
    retry = undefined;
    flush();
  };
  process.on('exit', () => {
    write();
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    for (const endMs = performance.now() + END_MS; hasFailed && performance.now() < endMs; write()) {
      Atomics.wait(sleeper, 0, 0, RETRY_MS / 2);
    }
  });
  return {
    write: (line) => {
      if (!hasFailed || text.length < WAITING_CHARACTERS_MAX) text += line;
      if (!isDue) setImmediate(flush);
      isDue = true;
      if (!hasFailed && text.length >= PIECE_CHARACTERS) flush();
    },
  };
}

/** A write to a pipe or a socket that is full fails from now on; it would stop the process, its health and its end with it. */
function refuseToWait(): void {
  const kind = fstatSync(STANDARD_OUTPUT);
  if (!kind.isFIFO() && !kind.isSocket()) return;
  // Node makes what it opens as a socket non-blocking. Nothing is written or read through it.
  new Socket({ fd: STANDARD_OUTPUT, readable: false, writable: true }).unref();
}
