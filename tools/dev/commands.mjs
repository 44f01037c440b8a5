/**
 * Every npm script: what it does, and the options that it takes. `npm run help` lists them; an option that is not here is refused
 * with one line and the usage before anything is installed or built.
 *
 * `options` are those with a value, `flags` those without; `operands` says whether words may follow, `numbers` which options take a whole
 * number, and its bounds. Those of Jest and Nx are the ones that help with this repository.
 */
export const scripts = {
  start: {
    about: 'Starts everything: PostgreSQL, NATS, the simulator and every service.',
    usage: 'npm start -- [--detach] [--reset]',
    flags: ['detach', 'reset'],
  },
  stop: { about: 'Stops what runs on the data folder.', usage: 'npm run stop' },
  status: { about: 'Shows what runs on the data folder.', usage: 'npm run status' },
  listen: { about: 'Registers a local receiver of webhooks and prints what arrives.', usage: 'npm run listen' },
  sim: {
    about: 'Has the simulated provider send messages and statuses, or refuse a token.',
    usage:
      'npm run sim -- inbound --from <phone> --text <text> [--to <line>] [--name <name>] | ' +
      'status --message <id> --status <sent|delivered|read|failed> [--code <code>] | ' +
      'refuse-token --line <line> | accept-token --line <line> | lines | knobs [--set <json>] | ' +
      'add-line --line <number> --token <token> [--name <name>]',
    options: ['from', 'text', 'to', 'name', 'message', 'status', 'code', 'line', 'set', 'token'],
    operands: true,
  },
  admin: {
    about: 'Does what operators do: keys, plans, people, quota, dead letters, audit log.',
    usage: 'npm run admin -- <command> [options]; npm run admin -- help lists both',
    options: [
      'service',
      'consumer',
      'id',
      'since',
      'database-url',
      'statement-timeout',
      'restored-at',
      'organization',
      'plan',
      'label',
      'scopes',
      'expect',
      'save-heads',
      'requests-per-minute',
      'request-burst',
      'messages-per-month',
      'channels',
      'seats',
    ],
    flags: ['all', 'repair', 'json', 'reset-overrides', 'keep-memberships', 'help'],
    operands: true,
  },
  'audit:verify': {
    about: 'Walks the audit log and says whether anything of it was changed.',
    usage:
      'npm run audit:verify -- [--organization <id>] [--expect <file>] [--save-heads <file>] [--json] [--database-url <url>]',
    options: ['organization', 'expect', 'save-heads', 'database-url'],
    flags: ['json'],
  },
  'demo:bulk': {
    about: 'Sends a template to 2,000 recipients of the simulator and shows the job.',
    usage: 'npm run demo:bulk -- [--recipients 2000] [--per-hour 36000]',
    options: ['recipients', 'per-hour'],
    numbers: { recipients: [1, 100_000], 'per-hour': [1, 1_000_000] },
    flags: ['help'],
  },
  screenshots: {
    about: 'Takes pictures of every page of the console; --readme those of the README.',
    usage: 'npm run screenshots -- [--readme]',
    flags: ['readme'],
  },
  build: { about: 'Builds every package.', usage: 'npm run build' },
  test: {
    about: 'Runs every test, on PostgreSQL and NATS of its own; options are those of Jest.',
    usage: 'npm test -- [<path pattern> …] [-t <name pattern>] [--runInBand] [--shard <n>/<m>] [options of Jest]',
    options: [
      't',
      'testNamePattern',
      'testPathPatterns',
      'testPathIgnorePatterns',
      'shard',
      'w',
      'maxWorkers',
      'changedSince',
      'testTimeout',
      'seed',
      'reporters',
      'collectCoverageFrom',
      'coverageDirectory',
      'coverageReporters',
    ],
    flags: [
      'i',
      'runInBand',
      'o',
      'onlyChanged',
      'f',
      'onlyFailures',
      'b',
      'bail',
      'runTestsByPath',
      'findRelatedTests',
      'passWithNoTests',
      'listTests',
      'verbose',
      'silent',
      'ci',
      'colors',
      'coverage',
      'randomize',
      'showSeed',
      'forceExit',
      'detectOpenHandles',
      'logHeapUsage',
      'no-cache',
    ],
    operands: true,
  },
  check: {
    about: 'Checks types, lint, format, boundaries, generated files and citations.',
    usage: 'npm run check -- [--only <name>,<name>] [--write]',
    options: ['only'],
    flags: ['write'],
  },
  affected: {
    about: 'Runs lint, types and tests of what changed since main; options are those of Nx.',
    usage: 'npm run affected -- [--base <commit>] [--head <commit>] [options of Nx]',
    options: ['base', 'head', 'files', 'exclude', 'parallel', 'outputStyle'],
    flags: ['uncommitted', 'untracked', 'skip-nx-cache', 'verbose', 'graph'],
  },
  bench: {
    about: 'Measures speed and memory, each in alternating runs.',
    usage: 'npm run bench -- <bench> [--short] [options]; npm run bench -- --help lists both',
    options: [
      'behind',
      'connections',
      'rounds',
      'seconds',
      'contacts',
      'conversations',
      'events',
      'parts',
      'recipients',
      'messages',
      'limits',
      'requests',
    ],
    numbers: {
      behind: [1, 10_000_000],
      rounds: [1, 10_000_000],
      seconds: [1, 86_400],
      contacts: [1, 10_000_000],
      conversations: [1, 10_000_000],
      events: [1, 10_000_000],
      recipients: [1, 100_000],
      messages: [1, 100_000_000],
      requests: [1, 10_000_000],
    },
    flags: ['short', 'help'],
    operands: true,
  },
  chaos: {
    about: 'Brings about faults under load and checks that every promise holds.',
    usage:
      'npm run chaos -- [--fault <name>,<name>] [--seed <n>] [--points <n>] [--at-most <n>] [--short] [--json <file>]',
    options: ['fault', 'seed', 'points', 'at-most', 'json'],
    numbers: { seed: [0, 2 ** 31 - 1], points: [1, 10_000], 'at-most': [1, 10_000] },
    flags: ['short', 'help'],
  },
  'new-service': {
    about: 'Adds an empty service, registered and ready to start.',
    usage: 'npm run new-service -- <name>',
    flags: ['help'],
    operands: true,
  },
  format: { about: 'Formats every file.', usage: 'npm run format' },
  help: { about: 'Lists every command with a sentence.', usage: 'npm run help' },
};

/**
 * What is wrong with the words behind a script, in one line; null when nothing is.
 *
 * @param {string} name of the script
 * @param {readonly string[]} args
 * @returns {string | null}
 */
export function problemOf(name, args) {
  const script = scripts[name];
  if (script === undefined) return null;
  const { options = [], flags = [], operands = false } = script;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    if (arg === '--') return operands ? null : 'It takes no further words.';
    if (arg === '-h' && flags.includes('help')) continue;
    if (!arg.startsWith('-') || arg === '-') {
      if (!operands) return `It takes no "${arg}".`;
      continue;
    }
    const [written] = arg.split('=');
    const [, option = '', value] = /^--?([^=-][^=]*)(=.*)?$/.exec(arg) ?? [];
    if (flags.includes(option)) {
      if (value !== undefined) return `The option ${written} takes no value.`;
    } else if (!options.includes(option)) {
      return `There is no option ${written}.`;
    } else if (value === undefined) {
      index++;
      if (args[index] === undefined || args[index].startsWith('--')) return `The option ${written} needs a value.`;
      const fault = faultOfNumber(script, option, args[index]);
      if (fault !== null) return fault;
    } else {
      const fault = faultOfNumber(script, option, value.slice(1));
      if (fault !== null) return fault;
    }
  }
  return null;
}

/** @returns {string | null} what is wrong with the value of an option that takes a whole number */
function faultOfNumber({ numbers = {} }, option, text) {
  const bounds = numbers[option];
  if (bounds === undefined) return null;
  const [min, max] = bounds;
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return null;
  return `The option --${option} takes a whole number from ${min} to ${max}, not "${text}".`;
}

/**
 * What a script is for and how it is called, where its words ask for that and its program does not answer itself; null otherwise.
 *
 * @param {string} name of the script
 * @param {readonly string[]} args
 * @returns {string | null}
 */
export function helpOf(name, args) {
  const script = scripts[name];
  const isAsked = args.includes('--help') || args.includes('-h');
  if (script === undefined || !isAsked || script.flags?.includes('help')) return null;
  return `${script.about}\nusage: ${script.usage}\n`;
}

/** Every command with its sentence, a line each. @returns {string} */
export function helpText() {
  const width = Math.max(...Object.keys(scripts).map((name) => nameOf(name).length));
  const lines = Object.entries(scripts).map(([name, { about }]) => `  ${nameOf(name).padEnd(width)}  ${about}`);
  return `${lines.join('\n')}\n`;
}

function nameOf(name) {
  return name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
}
