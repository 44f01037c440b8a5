import { parseArgs } from 'node:util';
import { DataFolder, readJson } from './data-folder.js';
import type { DevJson } from './dev-json.js';

/** The words were not understood; one line says why. */
export class SimUsageError extends Error {
  override readonly name = 'SimUsageError';
}

type Values = Readonly<
  Partial<Record<'from' | 'text' | 'to' | 'name' | 'message' | 'status' | 'code' | 'line' | 'set' | 'token', string>>
>;
type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>;

/**
 * `npm run sim`: has the simulator of the local run do what the provider would do of its own accord.
 *
 * @returns the exit code
 * @throws SimUsageError; Error in one line when nothing runs, or the simulator refuses
 */
export async function sim(dataDir: string, args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      text: { type: 'string' },
      to: { type: 'string' },
      name: { type: 'string' },
      message: { type: 'string' },
      status: { type: 'string' },
      code: { type: 'string' },
      line: { type: 'string' },
      set: { type: 'string' },
      token: { type: 'string' },
    },
  });
  const [name, surplus] = positionals;
  const known = Object.keys(acts).join(', ');
  if (name === undefined) throw new SimUsageError(`Say what the provider does: ${known}.`);
  const act = acts[name];
  if (!act) throw new SimUsageError(`There is no "${name}"; there are ${known}.`);
  const foreign = Object.keys(values).find((option) => !taken[name]?.includes(option));
  if (surplus !== undefined) throw new SimUsageError(`${name} takes no "${surplus}".`);
  if (foreign !== undefined) throw new SimUsageError(`${name} takes no --${foreign}.`);
  const dev = (await readJson(new DataFolder(dataDir).devFile)) as DevJson | undefined;
  if (dev?.simulatorUrl === undefined) throw new Error(`No simulator runs in ${dataDir}: \`npm start\` first.`);
  const line = dev.organizations?.[0]?.channels?.find(({ isDefault }) => isDefault)?.phone;
  for (const said of await act(askAt(dev.simulatorUrl), values, line)) process.stdout.write(`${said}\n`);
  return 0;
}

/** The options of each act. */
const taken: Readonly<Record<string, readonly string[]>> = {
  inbound: ['from', 'text', 'to', 'name'],
  status: ['message', 'status', 'code'],
  'refuse-token': ['line'],
  'accept-token': ['line'],
  lines: [],
  'add-line': ['line', 'token', 'name'],
  knobs: ['set'],
};

const messageStatuses = ['sent', 'delivered', 'read', 'failed'];

const acts: Readonly<Record<string, (ask: Ask, values: Values, line: string | undefined) => Promise<string[]>>> = {
  async inbound(ask, { from, text, to, name }, line) {
    const displayPhone = to ?? line;
    const message = { from: required(from, 'from'), text: required(text, 'text'), ...(name !== undefined && { name }) };
    const { id, delivered } = await ask('POST', '/_sim/inbound', { ...message, ...(displayPhone && { displayPhone }) });
    return [`${from} wrote to ${displayPhone}: ${String(id)}, callback answered ${String(delivered)}`];
  },
  async status(ask, { message, status, code }) {
    const reference = required(message, 'message');
    if (!messageStatuses.includes(required(status, 'status'))) {
      throw new SimUsageError('--status must be sent, delivered, read or failed.');
    }
    if (code !== undefined && !/^\d{1,9}$/.test(code)) throw new SimUsageError('--code must be a whole number.');
    const errors = code === undefined ? {} : { errors: [{ code: Number(code) }] };
    const statuses = [{ reference, status, ...errors }];
    const { delivered } = await ask('POST', '/_sim/statuses', { statuses });
    return [`${reference} is ${status} at the provider, callback answered ${String(delivered)}`];
  },
  'refuse-token': (ask, values) => setToken(ask, values, 'refused'),
  'accept-token': (ask, values) => setToken(ask, values, 'accepted'),
  async lines(ask) {
    const [{ items }, { refused }] = await Promise.all([ask('GET', '/_sim/accounts'), ask('GET', '/_sim/tokens')]);
    return (items as readonly SimulatedAccount[]).flatMap(({ wabaId, phoneNumbers }) =>
      phoneNumbers.map(({ id, displayPhone }) => {
        const state = (refused as readonly string[]).includes(id) ? 'refused' : 'accepted';
        return `${displayPhone}  phoneNumberId ${id}  businessAccountId ${wabaId}  token ${state}`;
      }),
    );
  },
  async 'add-line'(ask, { line, token, name }) {
    const displayPhone = required(line, 'line').replaceAll(/\D/g, '');
    if (displayPhone === '') throw new SimUsageError('The option --line is not a number.');
    const { items } = await ask('GET', '/_sim/accounts');
    // Ids of its own: the number after a digit that those of the demonstration do not begin with.
    const [wabaId, id] = [`8${displayPhone}`, `9${displayPhone}`];
    const others = (items as readonly SimulatedAccount[]).filter((one) => one.wabaId !== wabaId);
    const phoneNumbers = [{ id, displayPhone, name: name ?? `Line ${displayPhone}` }];
    const account = { wabaId, token: required(token, 'token'), phoneNumbers };
    await ask('PUT', '/_sim/accounts', { items: [...others, account] });
    return [`${displayPhone}  phoneNumberId ${id}  businessAccountId ${wabaId}  accessToken as you gave it`];
  },
  async knobs(ask, { set }) {
    const knobs = set === undefined ? await ask('GET', '/_sim/knobs') : await ask('PUT', '/_sim/knobs', objectOf(set));
    return [JSON.stringify(knobs, null, 2)];
  },
};

interface SimulatedAccount {
  readonly wabaId: string;
  readonly phoneNumbers: readonly { readonly id: string; readonly displayPhone: string }[];
}

async function setToken(ask: Ask, { line }: Values, state: 'refused' | 'accepted'): Promise<string[]> {
  const refused = state === 'refused';
  const displayPhone = required(line, 'line');
  await ask('PUT', '/_sim/tokens', { displayPhone, refused });
  return [`The provider ${refused ? 'refuses' : 'accepts'} the token of ${displayPhone} from now on.`];
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new SimUsageError(`The option --${name} is missing.`);
  return value;
}

function objectOf(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    throw new SimUsageError('The value of --set is not JSON.');
  }
}

function askAt(url: string): Ask {
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const said = (await answer.json()) as Readonly<Record<string, unknown>>;
    if (answer.ok) return said;
    // It names the field.
    const { message } = Object(said['error']) as { readonly message?: unknown };
    throw new Error(`The simulator refuses it: ${String(message)}`);
  };
}
