import { parseArgs } from 'node:util';

/** What an operator may say beside the command. */
export interface Choices {
  readonly service: string | undefined;
  readonly consumer: string | undefined;
  readonly id: string | undefined;
  readonly all: boolean;
  readonly repair: boolean;
  readonly since: string | undefined;
  readonly json: boolean;
  readonly databaseUrl: string | undefined;
  /** What stands behind the command's two words. */
  readonly operands: readonly string[];
}

/** A command line as it was understood. */
export interface CommandLine {
  /** `dead-letters list`, `outbox status`, …; empty when help is asked for. */
  readonly command: string;
  readonly choices: Choices;
}

/** The operator said something that is not to be understood, or forbidden: one line tells what. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        service: { type: 'string' },
        consumer: { type: 'string' },
        id: { type: 'string' },
        all: { type: 'boolean', default: false },
        repair: { type: 'boolean', default: false },
        since: { type: 'string' },
        json: { type: 'boolean', default: false },
        'database-url': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { service, consumer, id, all, repair, since, json, 'database-url': databaseUrl } = values;
    return {
      command: values.help ? '' : positionals.slice(0, 2).join(' '),
      choices: { service, consumer, id, all, repair, since, json, databaseUrl, operands: positionals.slice(2) },
    };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
