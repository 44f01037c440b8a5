import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { allowClosedOutput } from './closed-output.js';
import { readJson } from './data-folder.js';
import { readDevConfig } from './dev.config.js';
import type { DevJson } from './dev-json.js';
import { jobLine, type ShownJob } from './job-line.js';

/**
 * The program behind `npm run demo:bulk`: sends a template of the simulator to many recipients of a demonstration
 * organization, and shows the job as the API shows it until it has ended. `npm start` must run.
 */
const HELP = `usage: npm run demo:bulk -- [--recipients 2000] [--per-hour 36000]

  --recipients  how many; among them one twice, one refused and one whose outcome comes late
  --per-hour    throttlePerHour; left out, the channel's own rate
`;
const LOOK_EVERY_MS = 500;
const root = resolve(import.meta.dirname, '..', '..', '..');

/** The program was called in a way that it does not know. */
class DemoUsageError extends Error {
  override readonly name = 'DemoUsageError';
}

allowClosedOutput();
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '2000' },
    'per-hour': { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
try {
  if (values.help) process.stdout.write(HELP);
  else await show(numberOf('recipients', 100_000) ?? 1, numberOf('per-hour', 1_000_000));
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof DemoUsageError ? 2 : 1;
}

/** @returns null when the option is left out @throws DemoUsageError */
function numberOf(option: 'recipients' | 'per-hour', max: number): number | null {
  const text = values[option];
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new DemoUsageError(`--${option} must be a whole number, 1 to ${max}.\n\n${HELP}`);
}

async function show(count: number, throttlePerHour: number | null): Promise<void> {
  const { dataDir } = readDevConfig(root, []);
  const { baseUrl, organizations } = ((await readJson(join(dataDir, 'dev.json'))) ?? {}) as Partial<DevJson>;
  const organization = organizations?.[0];
  if (!baseUrl || !organization) throw new Error('Nothing runs here: `npm start` first.');
  const ask = async (method: string, path: string, body?: object): Promise<ShownJob> => {
    const headers = { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as ShownJob;
  };
  const { id } = await ask('POST', '/v1/templates/send', {
    template: { name: 'welcome', language: 'en_US' },
    recipients: recipients(count),
    throttlePerHour,
  });
  process.stdout.write(`${organization.name} sends "welcome" to ${count} recipients: GET /v1/templates/send/${id}\n`);
  const startedMs = performance.now();
  for (;;) {
    const job = await ask('GET', `/v1/templates/send/${id}`);
    const line = jobLine(job, performance.now() - startedMs);
    // A terminal keeps one line up to date; a file gets each.
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    if (job.status === 'COMPLETED' || job.status === 'CANCELED') break;
    await wait(LOOK_EVERY_MS);
  }
  process.stdout.write('\n');
}

/** New numbers at each run, then the simulator's magic ones (apps/upstream-simulator/README.md), and the first once more. */
function recipients(count: number): { readonly to: string }[] {
  const first = 2_000_000 + (Math.floor(Date.now() / 1_000) % 400_000) * 10;
  const plain = Array.from({ length: Math.max(1, count - 3) }, (_none, index) => `+1415${first + index}`);
  return [...plain, '+12015550100', '+12015550108', plain[0] ?? ''].slice(-count).map((to) => ({ to }));
}
