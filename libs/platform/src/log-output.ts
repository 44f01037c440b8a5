import { pino } from 'pino';

/** What takes lines of a log. */
export interface LogOutput {
  write(line: string): void;
}

/** As much is written at once, however long the turn lasts. */
const PIECE_CHARACTERS = 16_384;
let output: LogOutput | undefined;

/**
 * Standard output. The lines of one turn of the event loop leave in one write, as a system call for each costs more than the line
 * itself. An end of the process writes what is left; a kill loses the lines of that turn.
 */
export function standardOutput(): LogOutput {
  return (output ??= makeOutput());
}

function makeOutput(): LogOutput {
  const stream = pino.destination({ sync: true });
  let text = '';
  const flush = (): void => {
    if (text !== '') stream.write(text);
    text = '';
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (text === '') setImmediate(flush);
      text += line;
      if (text.length >= PIECE_CHARACTERS) flush();
    },
  };
}
