import { writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * Appends a line to the supervisor's own log, which is its standard output. One that a full disk does not take is lost: Node's stream
 * would end the process for it, and with it all that is supervised.
 */
export function logLine(line: string, fd: number = STDOUT): void {
  try {
    writeSync(fd, `${line}\n`);
  } catch {
    // There is nowhere left to say it.
  }
}
