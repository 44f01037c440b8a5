import { parseArgs } from 'node:util';

/** Options that an operator may add to the command. */
export interface Choices {
  readonly service: string | undefined;
  readonly consumer: string | undefined;
  readonly id: string | undefined;
  readonly all: boolean;
  readonly repair: boolean;
  readonly since: string | undefined;
  readonly restoredAt: string | undefined;
  readonly json: boolean;
  readonly databaseUrl: string | undefined;
  /** How long one statement may take. */
  readonly statementTimeoutMs: number;
  /** The operands behind the command's two words. */
  readonly operands: readonly string[];
  readonly organization: string | undefined;
  readonly plan: string | undefined;
  /** Of a new key. */
  readonly label: string | undefined;
  /** Of a new key, by comma; undefined: all. */
  readonly scopes: string | undefined;
  /** Numbers of a plan as they were written, by the option's name; those that were not given are not there. */
  readonly numbers: Readonly<Record<string, string>>;
  readonly resetOverrides: boolean;
  /** At a reset of a password: memberships that were never confirmed stay. */
  readonly keepMemberships: boolean;
  /** Files of heads of the audit log. */
  readonly expect: string | undefined;
  readonly saveHeads: string | undefined;
}

/** Numbers of a plan that an operator may set for one organization. */
export const planNumbers = ['requests-per-minute', 'request-burst', 'messages-per-month', 'channels', 'seats'] as const;

/** Options that every command takes. */
const EVERYWHERE: ReadonlySet<string> = new Set(['json', 'database-url', 'statement-timeout', 'help']);

/** In seconds. Long enough for a busy database, short enough that a mistake does not weigh on it for long. */
const STATEMENT_TIMEOUT = { default: 30, max: 86_400 } as const;

const OPTIONS = {
  service: { type: 'string' },
  consumer: { type: 'string' },
  id: { type: 'string' },
  all: { type: 'boolean', default: false },
  repair: { type: 'boolean', default: false },
  since: { type: 'string' },
  'restored-at': { type: 'string' },
  json: { type: 'boolean', default: false },
  'database-url': { type: 'string' },
  'statement-timeout': { type: 'string' },
  organization: { type: 'string' },
  plan: { type: 'string' },
  label: { type: 'string' },
  scopes: { type: 'string' },
  'requests-per-minute': { type: 'string' },
  'request-burst': { type: 'string' },
  'messages-per-month': { type: 'string' },
  channels: { type: 'string' },
  seats: { type: 'string' },
  'reset-overrides': { type: 'boolean', default: false },
  'keep-memberships': { type: 'boolean', default: false },
  expect: { type: 'string' },
  'save-heads': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** A command line as it was understood. */
export interface CommandLine {
  /** `dead-letters list`, `outbox status`, …; empty when help is asked for. */
  readonly command: string;
  readonly choices: Choices;
  /** The options as they were given, without those that every command takes. */
  readonly given: readonly string[];
}

/** The command line is unknown or forbidden; one line says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: withNegatives(args),
      allowPositionals: true,
      tokens: true,
      options: OPTIONS,
    });
    return {
      command: values.help ? '' : positionals.slice(0, 2).join(' '),
      choices: choicesOf(values, positionals.slice(2)),
      given: tokens.flatMap((token) =>
        token.kind === 'option' && !EVERYWHERE.has(token.name) ? [`--${token.name}`] : [],
      ),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(/\.\s/)[0] ?? message);
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function choicesOf(values: Values, operands: readonly string[]): Choices {
  const { service, consumer, id, all, repair, since, json, organization, plan, label, scopes, expect } = values;
  const numbers = planNumbers.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
  return {
    service,
    consumer,
    id,
    all,
    repair,
    since,
    json,
    organization,
    plan,
    label,
    scopes,
    expect,
    operands,
    restoredAt: values['restored-at'],
    databaseUrl: values['database-url'],
    statementTimeoutMs: statementTimeoutMs(values['statement-timeout']),
    numbers: Object.fromEntries(numbers),
    resetOverrides: values['reset-overrides'],
    keepMemberships: values['keep-memberships'],
    saveHeads: values['save-heads'],
  };
}

function statementTimeoutMs(seconds = `${STATEMENT_TIMEOUT.default}`): number {
  const value = Number(seconds);
  if (/^\d+$/.test(seconds) && value >= 1 && value <= STATEMENT_TIMEOUT.max) return value * 1_000;
  throw new UsageError(`--statement-timeout takes seconds, 1 to ${STATEMENT_TIMEOUT.max}, not "${seconds}"`);
}

/** A number below zero belongs to the option before it, whose command says what it may be; `parseArgs` takes it for an option. */
function withNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1) ?? '';
    if (/^-\d/.test(arg) && /^--[^=]+$/.test(last)) joined.splice(-1, 1, `${last}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}
