import { beforeAll, describe, expect, it } from '@jest/globals';
import { OptOutRacing } from '@switchboard/chaos/races/opt-out-races';
import { answeredWith } from '@switchboard/chaos/races/racing-callers';
import type { Stage } from '@switchboard/chaos/stage';
import { eventually } from '@switchboard/testing/eventually';
import { testSeed } from '@switchboard/testing';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { Simulator, type Api, type ApiAnswer } from './api.js';
import { callerOf } from './caller-of-stage.js';

/** Races are drawn from it; printed, so that a run can be repeated with it. */
const seed = testSeed();
/** At each of five latencies of the upstream; the chaos fault `opt-out-fence` runs ten times as many, and all kills. */
const RACES = 20;
const KILLED = ['contacts', 'messaging'];

/** What an opt-out call that has returned promises, as tests; they audit all that the stack did since it was started. */
export const describeOptOutFence = (running: () => Stage): void =>
  describe('an opt-out call that has returned, with two replicas of messaging and two of contacts', () => {
    let stage: Stage;
    let acme: Api;
    let phones = 0;

    beforeAll(() => {
      process.stderr.write(`opt-out-fence: seed ${seed}\n`);
      stage = running();
      acme = callerOf(stage);
    });

    it('lets no request to the number begin any more, in races with sends, repetitions and kills', async () => {
      const racing = new OptOutRacing(stage, new SeededRandom(seed));
      const calm = await racing.atEachLatency(RACES);
      expect(calm.filter(({ returnedMs }) => returnedMs === null)).toEqual([]);
      // Calls that were cut off promise nothing.
      const unruly = await racing.whileKilling(KILLED);
      const returned = unruly.filter(({ returnedMs }) => returnedMs !== null);
      const { audit, late, requests } = await racing.end(KILLED);
      expect({ late, findings: audit.findings }).toEqual({ late: [], findings: [] });
      // A race in which nothing ran would prove nothing.
      const sends = calm.flatMap((race) => race.sends);
      const [passed, refused] = [answeredWith(200, sends), answeredWith(403, sends)];
      process.stderr.write(
        `opt-out-fence: ${calm.length} races, ${passed} sends passed, ${refused} refused, ${requests} requests; ` +
          `${returned.length} of ${unruly.length} calls returned between the kills\n`,
      );
      expect(passed).toBeGreaterThan(calm.length / 4);
      expect(refused).toBeGreaterThan(calm.length);
      expect(returned.length).toBeGreaterThan(10);
    });

    it('is removed at once by DELETE: the next send passes', async () => {
      for (let round = 0; round < 50; round++) {
        const phone = nextPhone();
        const { body } = await optOut(phone);
        expect((await acme.send(phone, 'no')).status).toBe(403);
        const removed = await acme.ask('DELETE', `/v1/opt-outs/${body?.id}`);
        expect([removed.status, (await acme.send(phone, 'yes')).status]).toEqual([204, 200]);
      }
    });

    it('contacts being away lets nothing through unchecked: 503 for an unknown phone, nothing stored, no request', async () => {
      const known = nextPhone();
      const unknown = Array.from({ length: 5 }, nextPhone);
      await optOut(known);
      const { simulatorUrl = '' } = stage.stack.devJson;
      const pids = ['contacts', 'contacts-2'].map((name) => stage.stack.process(name).pid);
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
      const simulator = new Simulator(simulatorUrl);
      for (const phone of [known, ...unknown]) {
        expect(await simulator.requests(`to=${phone.slice(1)}`)).toEqual([]);
      }
      await eventually(async () => (await acme.send(nextPhone(), 'again')).status === 200);
    });

    async function optOut(phone: string): Promise<ApiAnswer> {
      return acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone }));
    }

    /** Apart from the numbers of the races. */
    function nextPhone(): string {
      return `+1415${5_560_000 + ++phones}`;
    }
  });
