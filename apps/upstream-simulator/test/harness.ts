import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { request } from 'undici';
import { readConfig, type SimulatorConfig } from '../src/simulator.config.js';
import { startSimulator, type Simulator } from '../src/simulator.js';

/** The magic number 09 is answered after so long. */
export const SLOW_ANSWER_MS = 1_000;
export const TOKEN = 'simulator-token';
export const WABA_ID = '102290129340398';
export const PHONE_NUMBER_ID = '106540352242922';

/** An answer with its body parsed; `body` is null when there was none. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Parsed JSON that tests reach into. */
export type Json = { readonly [member: string]: Json } & readonly Json[] & (string | number | null | boolean | object);

/** A simulator in this process with a folder of its own, and the requests that tests make of it. */
export class SimulatorHarness {
  static readonly #running = new Set<SimulatorHarness>();

  private constructor(
    readonly simulator: Simulator,
    readonly config: SimulatorConfig,
  ) {}

  /** Starts on an empty folder, or on a copy of another's as it is now, which is what a kill -9 would leave. */
  static async start(options: {
    callbackUrl?: string;
    random?: () => number;
    copyOf?: SimulatorHarness;
    change?: (dataDir: string) => void;
  }): Promise<SimulatorHarness> {
    const dataDir = mkdtempSync(join(tmpdir(), 'upstream-simulator-'));
    if (options.copyOf) cpSync(options.copyOf.config.dataDir, dataDir, { recursive: true });
    options.change?.(dataDir);
    const config = readConfig({ SIMULATOR_DATA_DIR: dataDir, SIMULATOR_CALLBACK_URL: options.callbackUrl });
    const substitutes = { slowAnswerMs: SLOW_ANSWER_MS, ...(options.random ? { random: options.random } : {}) };
    const harness = new SimulatorHarness(await startSimulator(config, substitutes), config);
    SimulatorHarness.#running.add(harness);
    return harness;
  }

  /** Stops every simulator that still runs, those of a test that failed half-way included. */
  static async stopAll(): Promise<void> {
    for (const harness of SimulatorHarness.#running) await harness.stop();
  }

  /** Stops this simulator and removes its folder. */
  async stop(): Promise<void> {
    SimulatorHarness.#running.delete(this);
    await this.simulator.close();
    rmSync(this.config.dataDir, { recursive: true, force: true });
  }

  /** A request to the control surface. */
  control(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    return call(method, `${this.simulator.url}/_sim/${path}`, body === undefined ? undefined : JSON.stringify(body));
  }

  /** Sends a text; `over` replaces members of the body. */
  send(over: Readonly<Record<string, unknown>> = {}, url = this.simulator.url): Promise<Answer> {
    const text = { preview_url: false, body: 'Hello' };
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505551234',
      type: 'text',
      text,
    };
    return this.post(JSON.stringify({ ...body, ...over }), { url });
  }

  /** Posts any body to the path of messages. */
  post(body: string, over: { url?: string; token?: string; phoneNumberId?: string } = {}): Promise<Answer> {
    const { url = this.simulator.url, token = TOKEN, phoneNumberId = PHONE_NUMBER_ID } = over;
    return call('POST', `${url}/v23.0/${phoneNumberId}/messages`, body, token);
  }

  /** A request to the provider's contract by GET. */
  get(path: string): Promise<Answer> {
    return call('GET', `${this.simulator.url}${path}`, undefined, TOKEN);
  }

  /** The requests recorded for a query such as `reference=a`. */
  async requests(query = ''): Promise<Json> {
    return (await this.control('GET', `requests?${query}`)).body;
  }

  /** Asks the control surface until the answer is right: for events without a signal in the provider's contract. */
  async until(path: string, condition: (body: Json) => boolean): Promise<void> {
    while (!condition((await this.control('GET', path)).body)) await new Promise(setImmediate);
  }

  /** Resolves when no callback is pending: what has not come by then never comes. */
  callbacksDone(): Promise<void> {
    return this.until('health', (health) => health['callbacks']?.['pendingMessages']?.valueOf() === 0);
  }
}

/** The clock by which simulators of this process answer, report and limit, in the hand of a test. */
export interface StoppedClock {
  advance(durationMs: number): void;
  /** Lets it go on, at the true time. */
  goOn(): void;
}

/** Stops the clock: nothing falls due, however long a busy machine takes to look at what waits. */
export function stopClock(): StoppedClock {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  return {
    advance: (durationMs) => void clock.mockReturnValue(Date.now() + durationMs),
    goOn: () => clock.mockRestore(),
  };
}

/** A recorded example of the provider's, by the name of its file. */
export function recorded(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'recorded', `${name}.json`), 'utf8'));
}

/** The shape of a value: its members and their types; an array has the shape of its first item. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

async function call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, body?: string, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  // Connections are not kept, so that nothing outlives a test.
  const answer = await request(url, { method, headers, ...(body === undefined ? {} : { body }), reset: true });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: (text === '' ? null : JSON.parse(text)) as Json };
}
