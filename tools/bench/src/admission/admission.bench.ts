import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';
import { treesCpuMicros } from '../cpu.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { runLoad } from '../load.js';
import { median } from '../percentile.js';
import { withStack } from '../with-stack.js';

/** How long and how wide to measure. */
export interface AdmissionOptions {
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

/** Medians of the rounds; microseconds of CPU a request. */
export interface AdmissionRow {
  readonly connections: number;
  readonly bare: RouteCost;
  readonly admitted: RouteCost;
  /** What admission adds, all processes together. */
  readonly admissionMicros: number;
  /** A request that is refused as 429. */
  readonly refused: RouteCost;
}

interface RouteCost {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly gatewayMicros: number;
  readonly postgresMicros: number;
}

/**
 * Measures what admission costs: `GET /v1/ping`, which does nothing else, against `GET /health/live` of the same gateway,
 * in alternating rounds. Of each process that takes part the CPU is its own, whatever else runs on the machine.
 */
export async function benchAdmission(options: AdmissionOptions): Promise<AdmissionRow> {
  return withStack(options.onLine, (stack, client) => measure(stack, client, options));
}

async function measure(stack: RunningStack, client: pg.Client, options: AdmissionOptions): Promise<AdmissionRow> {
  const { baseUrl, organizations = [] } = stack.devJson;
  const [own, limited] = organizations;
  if (!baseUrl || !own || !limited) throw new Error('the stack has no organizations');
  await setLimits(client, own.id, limited.id);
  const pids = { gateway: stack.process('gateway').pid, postgres: stack.process('postgres').pid };
  const load = async (path: string, key = own.apiKey, expectedStatus = 200): Promise<RouteCost> => {
    const headers = { authorization: `Bearer ${key}` };
    const before = { gateway: treesCpuMicros([pids.gateway]), postgres: treesCpuMicros([pids.postgres]) };
    const next = () => ({ method: 'GET' as const, path, headers });
    const result = await runLoad({
      url: baseUrl,
      connections: options.connections,
      durationMs: options.roundMs,
      expectedStatus,
      next,
    });
    return {
      perSecond: result.perSecond,
      p99Ms: result.p99Ms,
      gatewayMicros: (treesCpuMicros([pids.gateway]) - before.gateway) / result.requests,
      postgresMicros: (treesCpuMicros([pids.postgres]) - before.postgres) / result.requests,
    };
  };
  options.onLine('warming up');
  for (const path of ['/v1/ping', '/health/live']) await load(path);
  const bare: RouteCost[] = [];
  const admitted: RouteCost[] = [];
  const refused: RouteCost[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    bare.push(await load('/health/live'));
    admitted.push(await load('/v1/ping'));
    await useUp(client, limited.id);
    refused.push(await load('/v1/ping', limited.apiKey, 429));
    const added = totalOf(admitted.at(-1)) - totalOf(bare.at(-1));
    options.onLine(`round ${round}: admission adds ${added.toFixed(0)} µs a request`);
  }
  const added = median(admitted.map((one, round) => totalOf(one) - totalOf(bare[round])));
  return {
    connections: options.connections,
    bare: medianOf(bare),
    admitted: medianOf(admitted),
    admissionMicros: added,
    refused: medianOf(refused),
  };
}

/** One organization without a limit, and one with the slowest. */
async function setLimits(client: pg.Client, ownId: string, limitedId: string): Promise<void> {
  await liftRateLimit(client, ownId);
  await client.query('UPDATE gateway.organization SET requests_per_minute = 1, request_burst = 1 WHERE id = $1', [
    limitedId,
  ]);
}

/** From now on nothing is granted for a minute: a round is shorter. */
async function useUp(client: pg.Client, organizationId: string): Promise<void> {
  await client.query(
    `INSERT INTO gateway.rate_limit (organization_id, theoretical_arrival, clock, asked, interval, burst, granted)
     VALUES ($1, (extract(epoch FROM clock_timestamp() + interval '1 minute') * 1000000)::bigint, 0, 0, 60000000, 1, 0)
     ON CONFLICT (organization_id) DO UPDATE SET theoretical_arrival = excluded.theoretical_arrival`,
    [organizationId],
  );
}

function totalOf(cost: RouteCost | undefined): number {
  return (cost?.gatewayMicros ?? 0) + (cost?.postgresMicros ?? 0);
}

/** The median of each number by itself. */
function medianOf(all: readonly RouteCost[]): RouteCost {
  return {
    perSecond: median(all.map((one) => one.perSecond)),
    p99Ms: median(all.map((one) => one.p99Ms)),
    gatewayMicros: median(all.map((one) => one.gatewayMicros)),
    postgresMicros: median(all.map((one) => one.postgresMicros)),
  };
}

/** Rows of a table. */
export function linesOfAdmission({ connections, bare, admitted, admissionMicros, refused }: AdmissionRow): string[] {
  const cells = ({ perSecond, p99Ms, gatewayMicros, postgresMicros }: RouteCost): string =>
    [perSecond, p99Ms, gatewayMicros, postgresMicros].map((value) => value.toFixed(value < 100 ? 1 : 0)).join(' | ');
  return [
    `| \`GET /health/live\` | ${connections} | ${cells(bare)} | |`,
    `| \`GET /v1/ping\` | ${connections} | ${cells(admitted)} | ${admissionMicros.toFixed(0)} |`,
    `| \`GET /v1/ping\`, 429 | ${connections} | ${cells(refused)} | |`,
  ];
}
