import { SeededRandom } from '@switchboard/testing/seeded-random';
import type { Fault } from '../fault/fault.js';
import { ReportBook } from '../fault/report-book.js';
import { LATENCIES_MS, OptOutRacing } from '../races/opt-out-races.js';
import { answeredWith } from '../races/racing-callers.js';

/** Of each point, by latency of the upstream. */
const RACES = 20;
const KILLED = ['contacts', 'messaging', 'contacts-2', 'messaging-2', 'contacts', 'messaging'] as const;
const KILLED_SHORT = 2;

/** Sends race with opt-out calls for their numbers; then the same while the services of both are killed. */
export const optOutFence: Fault = {
  name: 'opt-out-fence',
  promise:
    'opt-out calls against sends, two replicas each, 100 races a point: no request begins after one has returned',
  points: { full: 10, short: 1 },
  async run(context, { seed, points, isShort }) {
    const stage = await context.fresh({ replicas: { messaging: 2, contacts: 2 } });
    const book = new ReportBook();
    const racing = new OptOutRacing(stage, new SeededRandom(seed));
    const calm = await racing.atEachLatency(points * RACES);
    const failed = calm.filter(({ returnedMs }) => returnedMs === null).length;
    if (failed > 0) book.find({ rule: 'send.failed', detail: `${failed} opt-out calls failed and nothing was killed` });
    const killed = KILLED.slice(0, isShort ? KILLED_SHORT : KILLED.length);
    const unruly = await racing.whileKilling(killed);
    const returned = unruly.filter(({ returnedMs }) => returnedMs !== null).length;
    const { audit, late, requests } = await racing.end(killed);
    book.add(audit);
    late.forEach((finding) => book.find(finding));
    // Races in which nothing ran would prove nothing.
    const sends = calm.flatMap((race) => race.sends);
    const [passed, refused] = [answeredWith(200, sends), answeredWith(403, sends)];
    const note = `${calm.length} races, ${passed} sends passed, ${refused} refused; ${returned} of ${unruly.length} calls returned between ${killed.length} kills; ${requests} requests, ${late.length} late`;
    context.say(note);
    const wanted = points * RACES * LATENCIES_MS.length;
    if (passed <= wanted / 4 || refused <= wanted || returned <= 10) book.find({ rule: 'unnoticed', detail: note });
    return { ...book.report(note), points };
  },
};
