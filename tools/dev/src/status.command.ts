import { isRunning } from '@switchboard/embedded-servers';
import { DataFolder, readJson, type RunEntry } from './data-folder.js';
import type { DevConfig } from './dev.config.js';

/** `npm run status`: a table of what runs on the data folder. @returns 0 when all of it does, 1 when not, 3 when nothing does. */
export async function status({ dataDir }: DevConfig): Promise<number> {
  const folder = new DataFolder(dataDir);
  const supervisor = await folder.findOwner();
  const entries = await folder.readRun();
  const urls = readUrls(await readJson(folder.devFile));
  const rows = await Promise.all(entries.map((entry) => describe(entry, urls)));
  if (supervisor === undefined && !rows.some(({ isUp }) => isUp)) {
    process.stdout.write(`Nothing runs on ${dataDir}.\n`);
    return 3;
  }
  const owner = supervisor === undefined ? 'gone: `npm run stop` ends the rest' : `pid ${supervisor.pid}`;
  process.stdout.write(`Supervisor ${owner}, data in ${dataDir}\n\n`);
  const table = [['process', 'pid', 'state', 'address'], ...rows.map(({ cells }) => cells)];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of table) {
    const line = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    process.stdout.write(`${line.trimEnd()}\n`);
  }
  return supervisor !== undefined && rows.every(({ isUp }) => isUp) ? 0 : 1;
}

interface Row {
  readonly isUp: boolean;
  readonly cells: readonly string[];
}

async function describe(entry: RunEntry, urls: ReadonlyMap<string, string>): Promise<Row> {
  const { name, pid } = entry;
  if (!(await isRunning(entry))) return { isUp: false, cells: [name, String(pid), 'ended', ''] };
  const health = urls.get(`${name} health`);
  const state = health === undefined ? 'running' : await ask(health);
  return { isUp: state === 'running' || state === 'ready', cells: [name, String(pid), state, urls.get(name) ?? ''] };
}

async function ask(url: string): Promise<string> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    (answer) => (answer.ok ? 'ready' : `not ready (${answer.status})`),
    () => 'no answer',
  );
}

/** Addresses of dev.json by process name, and health addresses by `<name> health`. */
function readUrls(dev: unknown): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  const list: unknown = typeof dev === 'object' && dev !== null && 'processes' in dev ? dev.processes : [];
  for (const item of Array.isArray(list) ? list : []) {
    const values = new Map<string, unknown>(Object.entries(item as object));
    const [name, url, health] = [values.get('name'), values.get('url'), values.get('health')];
    if (typeof name === 'string' && typeof url === 'string') urls.set(name, url);
    if (typeof name === 'string' && typeof health === 'string') urls.set(`${name} health`, health);
  }
  return urls;
}
