import type { Fault, FaultContext, FaultOutcome } from './fault/fault.js';
import { EMPTY_TALLY } from './audit/audit.js';
import { BEGINNING, settleAndAudit } from './stage/settle.js';
import { openStage, type Stage } from './stage/stage.js';

/** What to run. */
export interface ChaosOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Instead of each fault's own number. */
  readonly points?: number | undefined;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

/** A fault with what came of it. */
export interface ChaosResult {
  readonly name: string;
  readonly promise: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly outcome: FaultOutcome;
}

const LEASES_DEADLINE_MS = 90_000;

/**
 * Runs faults one after the other. Those that can share a stack do; it is audited once more as a whole when all of them
 * are through and every lease has ended.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult[]> {
  const { say } = options;
  const results: ChaosResult[] = [];
  let shared: Stage | undefined;
  try {
    for (const fault of options.faults) {
      const points = options.points ?? (options.isShort ? fault.points.short : fault.points.full);
      if (points === 0) continue;
      say(`\n${fault.name}: ${fault.promise} (--fault ${fault.name} --seed ${options.seed} --points ${points})`);
      const own: Stage[] = [];
      const context: FaultContext = {
        say: (line) => say(`  ${line}`),
        shared: async () => (shared ??= await openStage()),
        fresh: async (stageOptions) => {
          const stage = await openStage(stageOptions);
          own.push(stage);
          return stage;
        },
      };
      const startedMs = Date.now();
      const run = fault.run(context, { seed: options.seed, points, isShort: options.isShort });
      const outcome = await run.catch(asFinding).finally(() => Promise.all(own.map((stage) => stage.close())));
      const { name, promise } = fault;
      results.push({ name, promise, seed: options.seed, durationMs: Date.now() - startedMs, outcome });
      sayOutcome(outcome, say);
    }
    if (shared !== undefined) results.push(await auditWhole(shared, options));
    return results;
  } finally {
    await shared?.close();
  }
}

/** Everything that happened on the shared stack, once nothing is in doubt any more. */
async function auditWhole(stage: Stage, { seed, say }: ChaosOptions): Promise<ChaosResult> {
  const startedMs = Date.now();
  const name = 'afterwards';
  const promise = 'when every lease has ended, all of it together still adds up, and nothing is left in doubt';
  say(`\n${name}: ${promise}`);
  const settling = { deadlineMs: LEASES_DEADLINE_MS, withLeases: true };
  const { tally, findings } = await settleAndAudit(stage, BEGINNING, { sends: [], inbound: [] }, settling);
  const note = `${stage.recorder.repeats} events came more than once`;
  const outcome = { points: 1, tally, findings, recoveriesMs: [], note };
  sayOutcome(outcome, say);
  return { name, promise, seed, durationMs: Date.now() - startedMs, outcome };
}

/** A fault that could not be run to its end has not kept its promise. */
function asFinding(error: unknown): FaultOutcome {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    points: 0,
    tally: EMPTY_TALLY,
    findings: [{ rule: 'never-quiet', detail: `the fault could not be run: ${detail}` }],
    recoveriesMs: [],
    note: '',
  };
}

const SHOWN_MAX = 20;

function sayOutcome(outcome: FaultOutcome, say: (line: string) => void): void {
  if ('notRun' in outcome) return say(`  not run here: ${outcome.notRun}`);
  for (const { rule, detail } of outcome.findings.slice(0, SHOWN_MAX)) say(`  WRONG ${rule}: ${detail}`);
  const hidden = outcome.findings.length - SHOWN_MAX;
  if (hidden > 0) say(`  WRONG … and ${hidden} more`);
}
