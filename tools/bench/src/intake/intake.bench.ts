import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningStack } from '@switchboard/dev';
import { gatewayMigrations } from '@switchboard/gateway/migrations';
import { defaultLineOf } from '../default-line.js';
import { startFloorProcess, type Floor } from '../floor-process.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { runLoad } from '../load.js';
import { messageRequest, recipients } from '../message-request.js';
import { makeDatabase } from '../own-database.js';
import { mediansOf } from '../percentile.js';
import { silenceCallbacks } from '../silence-callbacks.js';
import { untilQuiet } from '../until-quiet.js';
import { withStack } from '../with-stack.js';
import {
  messageCallbacks,
  statusCallbacks,
  type CallbackLine,
  type KnownMessage,
  type SignedCallback,
} from './signed-callbacks.js';

/** How long and how wide to measure. */
export interface IntakeOptions {
  readonly connections: number;
  /** Runs of each side, alternating. */
  readonly rounds: number;
  readonly roundMs: number;
  /** Messages that statuses are of, and people who write. */
  readonly messages: number;
  readonly onLine: (line: string) => void;
}

/** Callbacks of one kind that were taken in a second, and the times of their answers; medians of the rounds. */
export interface IntakeRow {
  readonly kind: string;
  readonly floor: IntakeSide;
  readonly ours: IntakeSide;
}

interface IntakeSide {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The callbacks of a round, of which one was sent after the other, again from the first behind the last. */
type CallbacksOf = (round: number) => readonly SignedCallback[];

const PATH = '/upstream/cloud/callbacks';
/** Messages of people in a round; more than a round takes would be signed for nothing. */
const WRITTEN_A_SECOND = 3_000;
const SENDS_AT_ONCE = 20;

/**
 * Measures how many callbacks the gateway takes in a second: verified, split into events and committed, when they are answered.
 *
 * The floor verifies the same bytes and commits the same rows, one statement a callback. Behind ours messaging and all others take
 * the events in meanwhile, on the same processors; each round waits until that has ended.
 */
export async function benchIntake(options: IntakeOptions): Promise<IntakeRow[]> {
  return withStack(options.onLine, async (stack, client, dataDir) => {
    await silenceCallbacks(stack);
    const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    const appSecret = secrets['upstream app secret'] ?? '';
    const id = stack.devJson.organizations?.[0]?.id ?? '';
    await liftRateLimit(client, id);
    const line = { appSecret, phoneNumberId: await defaultLineOf(client, id) };
    const floor = await startFloor(stack, appSecret);
    try {
      return await measure(stack, { floor, line, messages: await send(stack, options) }, options);
    } finally {
      await floor.stop();
    }
  });
}

interface Measured {
  readonly floor: Floor;
  readonly line: CallbackLine;
  readonly messages: readonly KnownMessage[];
}

async function measure(
  stack: RunningStack,
  { floor, line, messages }: Measured,
  options: IntakeOptions,
): Promise<IntakeRow[]> {
  const phones = messages.map(({ phone }) => phone);
  const written = Math.ceil((options.roundMs / 1_000) * WRITTEN_A_SECOND);
  const statuses = statusCallbacks(line, messages);
  const kinds: Readonly<Record<string, CallbacksOf>> = {
    'a status each': () => statuses,
    'a message each': (round) => messageCallbacks(line, phones, round * written, written),
  };
  const ours = stack.devJson.baseUrl ?? '';
  const rows: IntakeRow[] = [];
  for (const [kind, callbacksOf] of Object.entries(kinds)) {
    const [floors, own]: [IntakeSide[], IntakeSide[]] = [[], []];
    // Round 0 warms both.
    for (let round = 0; round <= options.rounds; round++) {
      const callbacks = callbacksOf(round);
      const byFloor = await take(floor.url, callbacks, options);
      const byOurs = await take(ours, callbacks, options);
      await untilQuiet(stack);
      if (round === 0) continue;
      floors.push(byFloor);
      own.push(byOurs);
      const [f, o] = [byFloor.perSecond.toFixed(0), byOurs.perSecond.toFixed(0)];
      options.onLine(`${kind}, round ${round}: floor ${f}/s, ours ${o}/s`);
    }
    rows.push({ kind, floor: mediansOf(floors), ours: mediansOf(own) });
  }
  return rows;
}

async function take(
  url: string,
  callbacks: readonly SignedCallback[],
  { connections, roundMs }: IntakeOptions,
): Promise<IntakeSide> {
  let turn = 0;
  const next = () => ({ path: PATH, ...(callbacks[turn++ % callbacks.length] ?? { headers: {} }) });
  const { perSecond, p50Ms, p99Ms } = await runLoad({ url, connections, durationMs: roundMs, next });
  return { perSecond, p50Ms, p99Ms };
}

/** Sends so many messages, which the provider reports nothing of. @returns those that have left */
async function send(
  { devJson: { baseUrl, organizations } }: RunningStack,
  { messages, onLine }: IntakeOptions,
): Promise<readonly KnownMessage[]> {
  const one = async (phone: string): Promise<readonly KnownMessage[]> => {
    const { path, ...request } = messageRequest(organizations?.[0]?.apiKey ?? '', phone);
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', ...request });
    if (!answer.ok) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
    const { upstreamMessageId } = (await answer.json()) as { readonly upstreamMessageId: string | null };
    return upstreamMessageId === null ? [] : [{ upstreamMessageId, phone }];
  };
  onLine(`sending ${messages} messages`);
  const phones = recipients(messages);
  const sent: KnownMessage[] = [];
  for (let from = 0; from < messages; from += SENDS_AT_ONCE) {
    sent.push(...(await Promise.all(phones.slice(from, from + SENDS_AT_ONCE).map(one))).flat());
  }
  return sent;
}

async function startFloor({ devJson: { databaseUrl = '' } }: RunningStack, appSecret: string): Promise<Floor> {
  const url = await makeDatabase(databaseUrl, 'intake_floor', { gateway: gatewayMigrations });
  const environment = { FLOOR_DATABASE_URL: url, FLOOR_APP_SECRET: appSecret };
  return startFloorProcess(join(import.meta.dirname, 'intake-floor-main.js'), environment);
}

/** Rows of a table. */
export function linesOfIntake(rows: readonly IntakeRow[]): string[] {
  const times = ({ p50Ms, p99Ms }: IntakeSide): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`;
  return rows.map(({ kind, floor, ours }) => {
    const ratio = (ours.perSecond / floor.perSecond).toFixed(2);
    const cells = [kind, floor.perSecond.toFixed(0), ours.perSecond.toFixed(0), ratio, times(floor), times(ours)];
    return `| ${cells.join(' | ')} |`;
  });
}
