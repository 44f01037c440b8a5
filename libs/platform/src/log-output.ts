import { pino } from 'pino';

/** What takes lines of a log. */
export interface LogOutput {
  write(line: string): void;
}

/** As much is written at once, however long the turn lasts. */
const PIECE_CHARACTERS = 16_384;
/** So much waits while nothing can be written; what comes then is dropped. */
const WAITING_CHARACTERS_MAX = 1_000_000;
let output: LogOutput | undefined;

/**
 * Standard output. The lines of one turn of the event loop leave in one write, as a system call for each costs more than the line
 * itself. An end of the process writes what is left; a kill loses the lines of that turn. A file on a full disk ends no service.
 */
export function standardOutput(): LogOutput {
  return (output ??= makeOutput());
}

function makeOutput(): LogOutput {
  const stream = pino.destination({ sync: true });
  let text = '';
  let isDue = false;
  let hasFailed = false;
  // It keeps what it could not write.
  stream.on('error', () => (hasFailed = true));
  const flush = (): void => {
    isDue = false;
    if (hasFailed) {
      hasFailed = false;
      stream.write('');
    }
    if (hasFailed || text === '') return;
    stream.write(text);
    text = '';
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (!hasFailed || text.length < WAITING_CHARACTERS_MAX) text += line;
      if (!isDue) setImmediate(flush);
      isDue = true;
      if (!hasFailed && text.length >= PIECE_CHARACTERS) flush();
    },
  };
}
