import { type RunningStack, startStack, type StackOptions } from '@switchboard/dev';
import { DatabaseLedger } from '../ledger/database-ledger.js';
import { EventRecorder } from '../ledger/event-recorder.js';
import { NumberBook } from '../ledger/number-book.js';
import { SimulatorControl } from '../ledger/simulator-control.js';
import { KeyedBurst, type BurstSpec } from '../load/keyed-burst.js';
import { ReadLoad } from '../load/read-load.js';
import { SendLoad, type LoadSpec } from '../load/send-load.js';
import type { Sender } from '../load/send-plan.js';
import { temporaryFolder } from './temporary-folder.js';

/** A whole stack on a data folder of its own, with everything that looks at it. */
export interface Stage {
  readonly stack: RunningStack;
  readonly dataDir: string;
  readonly database: DatabaseLedger;
  readonly simulator: SimulatorControl;
  readonly recorder: EventRecorder;
  /** What the callers of every audited load learned. */
  readonly book: NumberBook;
  /** The organizations that loads send for. */
  readonly senders: readonly Sender[];
  /** Process ids by name, as the stage was opened. */
  readonly pids: ReadonlyMap<string, number>;
  /** Begins a load; what `spec` leaves out is as everywhere. */
  load(spec: Pick<LoadSpec, 'random' | 'mix'> & Partial<LoadSpec>): SendLoad;
  /** Sends to be begun at once. */
  burst(spec: Pick<BurstSpec, 'random' | 'sends'>): KeyedBurst;
  /** Begins reading, with a load or without one. */
  readers(): ReadLoad;
  /** Ends everything and leaves nothing behind. Repeatable. */
  close(): Promise<void>;
}

/** What a stage may want otherwise than `npm start` has it. */
export interface StageOptions extends Omit<Partial<StackOptions>, 'port' | 'onLine' | 'quiet'> {
  /** Takes one line when something that was killed could not be started again: then what follows is not the platform's doing. */
  readonly onFailedStart?: (line: string) => void;
}

const CALLERS = 36;
const THINK_MS_MAX = 40;
const INBOUND_PER_SECOND = 6;

/** Starts a stack whose organizations may send as much as they like. */
export async function openStage({ onFailedStart, ...options }: StageOptions = {}): Promise<Stage> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const onLine = (line: string): void => (line.includes('did not start') ? onFailedStart?.(line.trim()) : undefined);
  const stack = await startStack({ ...options, dataDir, onLine });
  try {
    return await equip(stack, dataDir);
  } catch (error) {
    await stack.destroy();
    throw error;
  }
}

/** Process ids by name, as they are now. */
export function pidsOf(stack: RunningStack): Map<string, number> {
  return new Map(stack.devJson.processes.map(({ name, pid }) => [name, pid]));
}

async function equip(stack: RunningStack, dataDir: string): Promise<Stage> {
  const { simulatorUrl, databaseUrl, natsUrl, organizations, processes } = stack.devJson;
  if (simulatorUrl === undefined || organizations === undefined)
    throw new Error('the stack has no organization to send for');
  const database = new DatabaseLedger(databaseUrl);
  // What is tested is not the limits: a 429 would only hide what the fault does.
  await database.query(
    `UPDATE gateway.organization SET requests_per_minute = 6000000, request_burst = 100000,
       messages_per_month = 1000000000`,
  );
  const simulator = new SimulatorControl(simulatorUrl);
  const recorder = await EventRecorder.start(natsUrl);
  const senders = organizations.map(({ id, apiKey, channels = [] }): Sender => {
    const lines = channels.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
    return { organizationId: id, apiKey, phones: lines.map(({ phone }) => phone) };
  });
  // Replicas of the gateway share a socket where the supervisor can hand one over.
  const gateways = processes.flatMap(({ name, url }) => (/^gateway(-\d+)?$/.test(name) && url ? [url] : []));
  const origins = [...new Set(gateways)];
  const usual = { callers: CALLERS, thinkMsMax: THINK_MS_MAX, inboundPerSecond: INBOUND_PER_SECOND };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await recorder.stop();
    await database.close();
    await stack.destroy();
  };
  return {
    stack,
    dataDir,
    database,
    simulator,
    recorder,
    book: new NumberBook(),
    senders,
    pids: pidsOf(stack),
    load: (spec) => new SendLoad({ origins, senders, simulator, ...usual, ...spec }),
    burst: (spec) => new KeyedBurst({ origins, senders, ...spec }),
    readers: () => new ReadLoad({ origins, senders }),
    close: () => (closed ??= close()),
  };
}
