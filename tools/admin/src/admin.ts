import { types } from 'node:util';
import pg from 'pg';
import { databaseUrlOf, type AdminConfig } from './admin.config.js';
import { readCommandLine, UsageError, type Choices } from './command-line.js';
import { discardDeadLetters, listDeadLetters, redriveDeadLetters, showDeadLetter } from './dead-letters.command.js';
import { outboxStatus, replayOutbox } from './outbox.command.js';
import { checkQuota, showQuota } from './quota.command.js';

/** Where an admin command looks and writes. */
export interface AdminContext {
  readonly config: AdminConfig;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

type Command = (client: pg.ClientBase, choices: Choices) => Promise<string[]>;

const commands: Readonly<Record<string, Command>> = {
  'dead-letters list': listDeadLetters,
  'dead-letters show': showDeadLetter,
  'dead-letters redrive': redriveDeadLetters,
  'dead-letters discard': discardDeadLetters,
  'outbox status': outboxStatus,
  'outbox replay': replayOutbox,
  'quota show': showQuota,
  'quota check': checkQuota,
};

/** Words that a command takes behind its name; none by default. */
const operandsMax: Readonly<Record<string, number>> = { 'quota show': 1, 'quota check': 1 };

const HELP = `npm run admin -- <command> [options]

  dead-letters list      events that were given up, newest first
  dead-letters show      one of them whole (--id); it may hold phone numbers and texts
  dead-letters redrive   have their service try them again (--id or --all)
  dead-letters discard   throw them away for good (--id or --all)
  outbox status          what waits to be published, since when, and how far each stream is
  outbox replay          publish again what a service wrote since a moment (--service, --since)
  quota show             what an organization has used of its months: quota show <organization>
  quota check            counters beside the messages: quota check [<organization>] [--repair]

  --service <name>       one service; all by default
  --consumer <name>      one consumer; "relay" are events that could never be published
  --id <event id>        one event
  --all                  every one that the other options leave
  --repair               set counters that differ; sends of the organization wait while its messages are counted
  --since <date>         ISO 8601; without a time 00:00 UTC
  --json                 a JSON object a line
  --database-url <url>   of a role that may read and write the services' schemas; else DATABASE_URL, else the local
                         run's (dev.json in SWITCHBOARD_DATA_DIR or .data)`;

const DEADLINE_MS = 30_000;

/** Runs one command. @returns the exit code: 0, 1 when it failed, 2 when it was not understood */
export async function runAdmin(args: readonly string[], { config, out, err }: AdminContext): Promise<number> {
  try {
    const { command, choices } = readCommandLine(args);
    if (command === '' || command === 'help') return (out(HELP), 0);
    const run = commands[command];
    if (!run) throw new UsageError(`There is no command "${command}"; see npm run admin -- help.`);
    const surplus = choices.operands[operandsMax[command] ?? 0];
    if (surplus !== undefined) throw new UsageError(`${command} takes no "${surplus}"; see npm run admin -- help.`);
    for (const line of await connected(databaseUrlOf(config, choices.databaseUrl), (client) => run(client, choices))) {
      out(line);
    }
    return 0;
  } catch (error) {
    err(said(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function connected(url: string, work: (client: pg.ClientBase) => Promise<string[]>): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'switchboard-admin',
    connectionTimeoutMillis: 5_000,
    statement_timeout: DEADLINE_MS,
  });
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    throw new Error(`The database does not answer: ${said(cause)}`, { cause });
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Not `instanceof`: Node's own errors come from another realm in tests. Those of several addresses have no message. */
function said(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
