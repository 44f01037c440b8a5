import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStack, type RunningStack } from '@switchboard/dev';
import { eventually } from '@switchboard/testing';
import { Api, Simulator, type ApiAnswer } from './api.js';
import { parseScrape, valuesOf } from './scrape.js';

/** Races are drawn from it; printed, so that a run can be repeated with it. */
const seed = randomInt(2 ** 31);
const RACES = 1_000;
const AT_ONCE = 20;
/** Answers of the upstream take so long, in turns; with 3 s the fence waits until what was marked can begin no more. */
const LATENCIES_MS = [0, 30, 150, 600, 3_000];

/** A contact raced for: when its opt-out call had returned, by the machine's clock, and what was sent to it. */
interface Race {
  readonly phone: string;
  readonly returnedMs: number | null;
  readonly sends: readonly ApiAnswer[];
}

describe('an opt-out call that has returned, with two replicas of messaging and two of contacts', () => {
  let stack: RunningStack;
  let acme: Api;
  let simulator: Simulator;
  let phones = 0;
  const draw = drawing(seed);

  beforeAll(async () => {
    process.stdout.write(`opt-out-fence: seed ${seed}\n`);
    const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-fence-'));
    stack = await startStack({ dataDir, quiet: true, replicas: { messaging: 2, contacts: 2 } });
    const { baseUrl, simulatorUrl, organizations } = stack.devJson;
    const [first] = organizations ?? [];
    if (!first || !baseUrl || !simulatorUrl) throw new Error('the stack has nothing to test');
    acme = new Api(baseUrl, first.apiKey);
    simulator = new Simulator(simulatorUrl);
  }, 180_000);

  afterAll(async () => stack?.destroy(), 60_000);

  it(`lets no request to the number begin any more, in ${RACES} races with sends and repetitions of sends`, async () => {
    const races: Race[] = [];
    for (const latencyMs of LATENCIES_MS) {
      await simulator.post('knobs', { latencyMs, errorRate: { 130429: 0.2 } });
      races.push(...(await raceTogether(RACES / LATENCIES_MS.length)));
    }
    await simulator.post('knobs', { latencyMs: 0, errorRate: {} });
    expect(races.filter(({ returnedMs }) => returnedMs === null)).toEqual([]);
    await settled();
    const requests = await everyRequest();
    expect(lateOnes(races, requests)).toEqual([]);
    // A race in which nothing ran would prove nothing.
    const statuses = countOf(races.flatMap(({ sends }) => sends.map(({ status }) => String(status))));
    process.stdout.write(`opt-out-fence: answers ${JSON.stringify(statuses)}, requests ${requests.length}\n`);
    expect(statuses['200']).toBeGreaterThan(RACES / 4);
    expect(statuses['403']).toBeGreaterThan(RACES);
  }, 600_000);

  it('holds for the calls that returned while contacts and messaging were killed; others promise nothing', async () => {
    await simulator.post('knobs', { latencyMs: 100, errorRate: { 130429: 0.2 } });
    const kills = killAllOver(['contacts', 'messaging', 'contacts-2', 'messaging-2', 'contacts', 'messaging']);
    const races: Race[] = [];
    while (!kills.isOver()) races.push(...(await raceTogether(AT_ONCE)));
    await kills.done;
    await simulator.post('knobs', { latencyMs: 0, errorRate: {} });
    const returned = races.filter(({ returnedMs }) => returnedMs !== null);
    process.stdout.write(`opt-out-fence: ${returned.length} of ${races.length} calls returned between the kills\n`);
    expect(returned.length).toBeGreaterThan(10);
    await settled();
    expect(lateOnes(returned, await everyRequest())).toEqual([]);
  }, 600_000);

  it('is lifted at once by DELETE: the next send passes', async () => {
    for (let round = 0; round < 50; round++) {
      const phone = nextPhone();
      const { body } = await optOut(phone);
      expect((await acme.send(phone, 'no')).status).toBe(403);
      const lifted = await acme.ask('DELETE', `/v1/opt-outs/${body?.id}`);
      expect([lifted.status, (await acme.send(phone, 'yes')).status]).toEqual([204, 200]);
    }
  }, 120_000);

  it('contacts being away lets nothing through unchecked: 503 for an unknown phone, nothing stored, no request', async () => {
    const known = nextPhone();
    const unknown = Array.from({ length: 5 }, nextPhone);
    await optOut(known);
    const pids = ['contacts', 'contacts-2'].map((name) => stack.process(name).pid);
    pids.forEach((pid) => process.kill(pid, 'SIGSTOP'));
    try {
      const answers = await Promise.all([known, ...unknown].map((phone) => acme.send(phone, 'unchecked')));
      expect(answers.map(({ status }) => status)).toEqual([403, 503, 503, 503, 503, 503]);
      for (const { headers } of answers.slice(1)) {
        const id = headers.get('x-message-id');
        if (id !== null) expect((await acme.get(`/v1/messages/${id}`)).status).toBe(404);
      }
    } finally {
      pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
    }
    const requests = await everyRequest();
    expect(requests.filter(({ to }) => [known, ...unknown].includes(to))).toEqual([]);
    await eventually(async () => (await acme.send(nextPhone(), 'again')).status === 200);
  }, 120_000);

  async function raceTogether(count: number): Promise<Race[]> {
    const races: Race[] = [];
    let left = count;
    const runner = async (): Promise<void> => {
      while (left-- > 0) races.push(await race());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runner));
    return races;
  }

  /** Sends around an opt-out call, and one behind it. */
  async function race(): Promise<Race> {
    const phone = nextPhone();
    const sends: Promise<ApiAnswer | null>[] = [];
    // Half of the contacts are known before.
    if (draw() < 0.5) sends.push(send(phone));
    const callAfterMs = draw() * 40;
    for (let n = 0; n < 2; n++) sends.push(wait(draw() * 80).then(() => send(phone)));
    await wait(callAfterMs);
    const answer = await optOut(phone).catch(() => null);
    const returnedMs = answer && answer.status < 300 ? Date.now() : null;
    sends.push(send(phone));
    const ended = await Promise.all(sends);
    return { phone, returnedMs, sends: ended.filter((one) => one !== null) };
  }

  /** Null when the connection broke: a process behind it was killed. */
  async function send(phone: string): Promise<ApiAnswer | null> {
    return acme.send(phone, 'race').catch(() => null);
  }

  async function optOut(phone: string): Promise<ApiAnswer> {
    return acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone }));
  }

  function nextPhone(): string {
    return `+1415${5_550_000 + ++phones}`;
  }

  /** Returns when nothing is to be sent again, and nothing is on its way. */
  async function settled(): Promise<void> {
    const url = stack.process('messaging').url;
    await eventually(
      async () => {
        const scraped = parseScrape(await (await fetch(`${url}/metrics`)).text());
        const open = ['RETRY', 'DISPATCHING'].flatMap((state) =>
          valuesOf(scraped, 'switchboard_open_dispatches', { state }),
        );
        return open.length === 2 && open.every((count) => count === 0);
      },
      { deadlineMs: 120_000 },
    );
  }

  async function everyRequest(): Promise<{ readonly to: string; readonly arrivedMs: number }[]> {
    const requests: { to: string; arrivedMs: number }[] = [];
    for (let cursor: string | undefined = '0'; cursor !== undefined;) {
      const page = await simulator.page(cursor);
      requests.push(...page.items.map(({ to, arrivedAt }) => ({ to: `+${to}`, arrivedMs: Date.parse(arrivedAt) })));
      cursor = page.nextCursor;
    }
    return requests;
  }

  /** Kills one after the other, each when the one before runs again. */
  function killAllOver(names: readonly string[]): { readonly done: Promise<void>; isOver(): boolean } {
    let over = false;
    const killing = async (): Promise<void> => {
      for (const name of names) {
        await wait(300 + draw() * 700);
        await stack.process(name).kill('SIGKILL');
        await stack.process(name).restarted();
      }
    };
    return { done: killing().finally(() => (over = true)), isOver: () => over };
  }
});

/** Requests that arrived after the opt-out call of their number had returned. */
function lateOnes(
  races: readonly Race[],
  requests: readonly { readonly to: string; readonly arrivedMs: number }[],
): unknown[] {
  const returned = new Map(races.map(({ phone, returnedMs }) => [phone, returnedMs]));
  return requests.filter(({ to, arrivedMs }) => arrivedMs > (returned.get(to) ?? Infinity));
}

function countOf(values: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
}

/** Numbers in [0, 1), the same for a seed. Mulberry32. */
function drawing(from: number): () => number {
  let state = from | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
