import { loadavg } from 'node:os';
import { askInTurn, type Question, type QuestionTimes } from '../ask-in-turn.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { withStack } from '../with-stack.js';
import { fillFigures } from './fill-figures.js';
import { measureIngest, type Ingested } from './ingest.js';

/** How much to count and how often to ask. */
export interface AnalyticsBenchOptions {
  /** Messages of the last 30 days that reports are of. */
  readonly messages: number;
  readonly rounds: number;
  /** Messages with four events each that are taken in. */
  readonly ingested: number;
  readonly onLine: (line: string) => void;
}

/** What was measured. */
export interface AnalyticsBenchResult {
  readonly ingested: Ingested;
  readonly reports: readonly (QuestionTimes & { readonly barMs: number })[];
  /** Of the machine, at the beginning of each part: what else it has to do. */
  readonly loads: readonly number[];
}

const DAY_MS = 86_400_000;
const DAYS_BAR_MS = 100;
const HOURS_BAR_MS = 200;

/** Measures the reports of an organization, one request at a time, and how fast one process takes events in. */
export async function benchAnalytics(options: AnalyticsBenchOptions): Promise<AnalyticsBenchResult> {
  const { messages, rounds, ingested, onLine } = options;
  return withStack(onLine, async (stack, client) => {
    const { baseUrl, organizations } = stack.devJson;
    const [acme, globex] = organizations ?? [];
    if (!acme || !globex || baseUrl === undefined) throw new Error('the stack has no organizations');
    await liftRateLimit(client, acme.id);
    const counts = await fillFigures(client, { organizationId: acme.id, messages });
    onLine(`${counts} counts made of ${messages} messages`);
    const asked = questions();
    const loads = [loadavg()[0] ?? 0];
    const times = await askInTurn(asked, { baseUrl, apiKey: acme.apiKey, rounds, onLine });
    loads.push(loadavg()[0] ?? 0);
    const taken = await measureIngest(stack, client, { organizationId: globex.id, messages: ingested, onLine });
    const reports = times.map((time, index) => ({ ...time, barMs: asked[index]?.barMs ?? 0 }));
    return { ingested: taken, reports, loads };
  });
}

function questions(): (Question & { readonly barMs: number })[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const range = `from=${new Date(today - 30 * DAY_MS).toISOString()}&to=${new Date(today).toISOString()}`;
  const days = (name: string, path: string): Question & { barMs: number } => ({ name, path, barMs: DAYS_BAR_MS });
  const hours = (name: string, path: string): Question & { barMs: number } => ({ name, path, barMs: HOURS_BAR_MS });
  return [
    days('delivery, 30 days by day', `/v1/analytics/delivery?${range}`),
    days('delivery, the last 30 days (default)', '/v1/analytics/delivery'),
    days('delivery, 30 days by day, Europe/Berlin', `/v1/analytics/delivery?${range}&timezone=Europe/Berlin`),
    days('delivery, 30 days by day, Asia/Kathmandu', `/v1/analytics/delivery?${range}&timezone=Asia/Kathmandu`),
    hours('delivery, 30 days by hour', `/v1/analytics/delivery?${range}&granularity=hour`),
    days('templates, 30 days by day', `/v1/analytics/templates?${range}`),
    hours('templates, 30 days by hour', `/v1/analytics/templates?${range}&granularity=hour`),
    days('usage, 30 days by day', `/v1/analytics/usage?${range}`),
    hours('usage, 30 days by hour', `/v1/analytics/usage?${range}&granularity=hour`),
  ];
}

/** The rows as the report shows them. */
export function linesOfAnalytics({ reports }: AnalyticsBenchResult): string[] {
  return reports.map(({ name, items, p50Ms, p95Ms, barMs }) => {
    return `| ${[name, items, `${p50Ms.toFixed(0)} / ${p95Ms.toFixed(0)}`, barMs].join(' | ')} |`;
  });
}
