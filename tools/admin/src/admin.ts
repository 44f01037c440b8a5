import { types } from 'node:util';
import { sessionOptions, sqlState } from '@switchboard/postgres';
import pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { databaseUrlOf } from './admin.config.js';
import { readCommandLine, UsageError, type Choices } from './command-line.js';
import { commands } from './commands.js';

/** What follows a refusal of a command line. */
export const USAGE = 'usage: npm run admin -- <command> [options]; npm run admin -- help lists both';

const HELP = `npm run admin -- <command> [options]

  dead-letters list      events that were given up, newest first
  dead-letters show      one of them whole (--id); it may hold phone numbers and texts
  dead-letters redrive   have their service try them again (--id or --all)
  dead-letters discard   throw them away for good (--id or --all)
  outbox status          what waits to be published, since when, and how far each stream is
  outbox replay          publish again what a service wrote since a moment (--service, --since)
  restore declare        the database is from a backup, and services have not noticed: each does what it would by itself, once it is
                         started (--service or --all; --restored-at, when PostgreSQL accepted connections after the restore)
  dispatch set-unknown   after a restore: send nothing again that may have been sent since the backup (--all)
  dispatch give-up       an unknown outcome is awaited no longer: dispatch give-up <message id>; within seconds the message
                         is FAILED with UPSTREAM_OUTCOME_UNKNOWN, as after 24 hours
  channel-rate set       attempts a second of a channel: channel-rate set <channel> <number or default>
  secrets rotate         new data keys, and every secret sealed anew under the current master key (CREDENTIALS_KEY)
  quota show             messages accepted in its months, failed ones too: quota show <organization>
  quota check            counters compared with the messages: quota check [<organization>] [--repair]
  analytics rebuild      figures counted anew from the messages, in the service: analytics rebuild [<organization>]
  analytics check        figures compared with the messages: analytics check [<organization>]; exit code 1 when they differ

  organizations list                      all, with plan and subscription
  organizations show <organization>       one, with its limits
  plan set <organization>                 --plan, and numbers that are excepted from it: --requests-per-minute,
                                          --request-burst, --messages-per-month, --channels, --seats;
                                          --reset-overrides: the plan's own again
  subscription set <organization> <status>  ACTIVE, PAST_DUE or CANCELED
  api-keys create <organization>          --label <what for>, --scopes <by comma> (all without it); prints the key, which is
                                          shown once
  api-keys revoke <key id>                at once, for good
  users show <email>                      a person, their organizations and sessions
  users reset-password <email>            a new password, shown once; all their sessions end, and the memberships that were
                                          never confirmed (--keep-memberships: they stay)
  users reset-second-factor <email>       takes a lost second factor, with its recovery codes; all their sessions end
  users sign-out <email>                  ends all their sessions
  audit verify                            walk the audit log, as npm run audit:verify (--organization, --expect,
                                          --save-heads); exit code 1 when anything is wrong with it
  An <organization> is named by its id, or by its name. What changes it counts from its next request on, and is in its audit log.

  --service <name>       one service; all by default
  --consumer <name>      one consumer; "relay" are events that could never be published
  --id <event id>        one event
  --all                  every one that the command's other options leave
  --repair               set counters that differ; they are counted without a lock, and sends of the organization go on
  --organization <id>    one organization's audit log; all by default
  --expect <file>        heads that were saved before: what came before them must be as it was
  --save-heads <file>    save the heads, to be kept where the database's owner cannot write
  --since <date>         ISO 8601; without a time 00:00 UTC
  --json                 a JSON object a line
  --statement-timeout <seconds>   how long one statement may take, 30 without it: for a quota or a day of figures that is large
  --database-url <url>   of a role that may read and write the services' schemas; else DATABASE_URL, else the local
                         run's (dev.json in SWITCHBOARD_DATA_DIR or .data)`;

const CONNECT_MS = 15_000;

/** Runs one command. @returns the exit code: 0, 1 when it failed, 2 when it was not understood */
export async function runAdmin(args: readonly string[], context: AdminContext): Promise<number> {
  const { config, out, err } = context;
  try {
    const { command: name, choices, given } = readCommandLine(args);
    if (name === '' || name === 'help') return (out(HELP), 0);
    const command = commands[name];
    if (!command) throw new UsageError(`There is no command "${name}"; see npm run admin -- help.`);
    const { run, operandsMax = 0, options = [] } = command;
    const surplus = choices.operands[operandsMax] ?? given.find((option) => !options.includes(option.slice(2)));
    if (surplus !== undefined) throw new UsageError(`${name} takes no "${surplus}"; see npm run admin -- help.`);
    const url = databaseUrlOf(config, choices.databaseUrl);
    for (const line of await connected(url, choices, (client) => run(client, choices, context))) out(line);
    return 0;
  } catch (error) {
    err(explained(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function connected(
  url: string,
  { statementTimeoutMs }: Choices,
  work: (client: pg.ClientBase) => Promise<string[]>,
): Promise<string[]> {
  const session = sessionOptions(url, []);
  const client = new pg.Client({
    connectionString: session.url,
    options: session.options,
    application_name: 'switchboard-admin',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementTimeoutMs,
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

/** What went wrong, and what to do where that does not follow. Source: PostgreSQL manual, "PostgreSQL Error Codes". */
function explained(error: unknown): string {
  switch (sqlState(error)) {
    case '57014':
      return `${said(error)}; --statement-timeout <seconds> allows more.`;
    case '25006':
      return `The database takes no writes: ${said(error)}. See "A database that is read only" in docs/operations.md.`;
    default:
      return said(error);
  }
}

/** Not `instanceof`: Node's own errors come from another realm in tests. Those of several addresses have no message. */
function said(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
