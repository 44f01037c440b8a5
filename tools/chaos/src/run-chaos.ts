import type { Fault, FaultContext, FaultOutcome } from './fault/fault.js';
import { EMPTY_TALLY } from './audit/audit.js';
import { BEGINNING, settleAndAudit } from './stage/settle.js';
import { openStage, type Stage, type StageOptions } from './stage/stage.js';

/** What to run. */
export interface ChaosOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Instead of each fault's own number. */
  readonly points?: number | undefined;
  /** Of each fault. */
  readonly pointsMax?: number | undefined;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
  /** Data that each stack begins with, of `prepareData`; otherwise it migrates an empty database. */
  readonly prepared?: string;
  /** Called when a fault is through. */
  readonly onResult?: (result: ChaosResult) => void;
  /** Aborting it ends everything that was started; `runChaos` then rejects. */
  readonly signal?: AbortSignal;
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
  const stages = new Set<Stage>();
  const closeAll = async (): Promise<void> => {
    await Promise.all([...stages].map((stage) => stage.close()));
  };
  options.signal?.addEventListener('abort', () => void closeAll(), { once: true });
  try {
    return await runFaults(options, stages);
  } finally {
    await closeAll();
  }
}

async function runFaults(options: ChaosOptions, stages: Set<Stage>): Promise<ChaosResult[]> {
  const results: ChaosResult[] = [];
  const add = (result: ChaosResult): void => {
    options.signal?.throwIfAborted();
    results.push(result);
    sayOutcome(result.outcome, options.say);
    options.onResult?.(result);
  };
  const open = async (stageOptions: StageOptions = {}): Promise<Stage> => {
    const onFailedStart = (line: string): void => options.say(`  ${line}`);
    const stage = await openStage({
      onFailedStart,
      ...(options.prepared !== undefined && { prepared: options.prepared }),
      ...stageOptions,
      ...(options.signal && { signal: options.signal }),
    });
    stages.add(stage);
    return stage;
  };
  let shared: Stage | undefined;
  for (const fault of options.faults) {
    const own = options.points ?? (options.isShort ? fault.points.short : fault.points.full);
    const points = Math.min(own, options.pointsMax ?? own);
    if (points === 0) continue;
    const context: FaultContext = {
      say: (line) => options.say(`  ${line}`),
      shared: async () => (shared ??= await open()),
      fresh: open,
    };
    add(await runFault(fault, context, options, points));
    for (const stage of stages) if (stage !== shared) await stage.close();
  }
  if (shared !== undefined) add(await auditWhole(shared, options));
  return results;
}

async function runFault(
  { name, promise, run }: Fault,
  context: FaultContext,
  { seed, isShort, say }: ChaosOptions,
  points: number,
): Promise<ChaosResult> {
  say(`\n${name}: ${promise} (--fault ${name} --seed ${seed} --points ${points})`);
  const startedMs = Date.now();
  const outcome = await run(context, { seed, points, isShort }).catch(asFinding);
  return { name, promise, seed, durationMs: Date.now() - startedMs, outcome };
}

/** Everything that happened on the shared stack, once nothing is in doubt any more. */
async function auditWhole(stage: Stage, { seed, say }: ChaosOptions): Promise<ChaosResult> {
  const startedMs = Date.now();
  const name = 'afterwards';
  const promise = 'when every lease has ended, all of it together still adds up, and nothing is left in doubt';
  say(`\n${name}: ${promise}`);
  // Who died is known of each fault.
  const settling = { deadlineMs: LEASES_DEADLINE_MS, withLeases: true, mayDie: [...stage.pids.keys()] };
  const { tally, findings } = await settleAndAudit(stage, BEGINNING, { sends: [], inbound: [] }, settling);
  const note = `${stage.recorder.repeats} events came more than once`;
  const outcome = { points: 1, tally, findings, recoveriesMs: [], note };
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
