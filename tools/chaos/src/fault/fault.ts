import type { Finding } from '../audit/finding.js';
import type { Tally } from '../audit/audit.js';
import type { Stage, StageOptions } from '../stage/stage.js';

/** How a fault is run. */
export interface FaultOptions {
  readonly seed: number;
  /** How often the fault is brought about. */
  readonly points: number;
  /** A few points and short times: for every change, not for a verdict. */
  readonly isShort: boolean;
}

/** Where a fault runs. */
export interface FaultContext {
  /** The stack that faults share, at rest. */
  shared(): Promise<Stage>;
  /** A stack of the fault's own, ended after it. */
  fresh(options?: StageOptions): Promise<Stage>;
  /** One line of progress. */
  readonly say: (line: string) => void;
}

/** What a fault did and what came of it. */
export interface FaultReport {
  readonly points: number;
  readonly tally: Tally;
  readonly findings: readonly Finding[];
  /** Milliseconds from each point to the first send that succeeded after it. */
  readonly recoveriesMs: readonly number[];
  /** What else was measured, in a few words. */
  readonly note: string;
}

/** `not-run` says why this machine cannot bring the fault about. */
export type FaultOutcome = FaultReport | { readonly notRun: string };

/** One way in which the world breaks. */
export interface Fault {
  readonly name: string;
  /** What holds nevertheless, in one sentence. */
  readonly promise: string;
  /** Points of a full run and of a short one; 0 leaves the fault out of short runs. */
  readonly points: { readonly full: number; readonly short: number };
  run(context: FaultContext, options: FaultOptions): Promise<FaultOutcome>;
}
