import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stage } from '@switchboard/chaos/stage';
import type { RunningStack, SeededOrganization } from '@switchboard/dev';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { Api, Simulator } from './api.js';
import { appClient, signedInClient } from './app-client.js';
import { EventStreamReader } from './event-stream-reader.js';
import { personIn } from './people.js';

const SOON = { deadlineMs: 60_000 };
const GATEWAYS = ['gateway', 'gateway-2'];

/** What the application's stream of events promises over two gateways, which are killed, as tests. */
export const describeAppEvents = (running: () => Stage): void =>
  describe('the stream of events of the application', () => {
    let stack: RunningStack;
    let baseUrl: string;
    let simulator: Simulator;
    let acme: SeededOrganization;
    let globex: SeededOrganization;
    const readers: EventStreamReader[] = [];

    beforeAll(() => {
      ({ stack } = running());
      baseUrl = stack.devJson.baseUrl ?? '';
      simulator = new Simulator(stack.devJson.simulatorUrl ?? '');
      const [first, second] = stack.devJson.organizations ?? [];
      if (!first || !second) throw new Error('there are not two organizations');
      [acme, globex] = [first, second];
    });

    afterEach(async () => {
      await Promise.all(readers.splice(0).map((reader) => reader.close()));
    });

    const signedIn = (organization: SeededOrganization, role: string): Promise<AppClient> =>
      signedInClient(baseUrl, personIn(organization, role));
    const opened = async (page: AppClient, headers: Record<string, string> = {}): Promise<EventStreamReader> => {
      const reader = await EventStreamReader.open(baseUrl, page.cookie, headers);
      readers.push(reader);
      return reader;
    };
    const write = (from: string, text: string): Promise<void> => simulator.post('inbound', { from, text });
    /** All that the feed has after a cursor. */
    const feedAfter = async (cursor: string): Promise<string[]> => {
      const { text } = await new Api(baseUrl, acme.apiKey).get(`/v1/events?limit=100&cursor=${cursor}`);
      return (JSON.parse(text) as { items: object[] }).items.map((item) => JSON.stringify(item));
    };
    /** What streams brought one after the other is what the feed has, in its order. */
    const sameAsFeed = (start: string, ...streams: readonly EventStreamReader[]): Promise<boolean> =>
      eventually(async () => {
        const bodies = streams.flatMap((one) => one.bodies).map((body) => JSON.stringify(JSON.parse(body)));
        expect(bodies).toEqual(await feedAfter(start));
        return true;
      }, SOON);

    it('says at once where it starts, then shows what happens, and only what happens in its own organization', async () => {
      const [own, foreign] = [await signedIn(acme, 'MEMBER'), await signedIn(globex, 'OWNER')];
      const [reader, stranger] = [await opened(own), await opened(foreign)];
      expect(reader.events[0]).toMatchObject({ name: 'ready', data: '{}' });
      const start = reader.firstId;
      await write('4915123457001', 'first words');
      await eventually(() => reader.bodies.some((body) => body.includes('first words')), SOON);
      // Its own: proof that nothing is late.
      const { channels = [] } = globex;
      await new Api(baseUrl, globex.apiKey).send('+14155550170', 'of another organization', {
        messagingChannelId: channels[0]?.id,
      });
      await eventually(() => stranger.bodies.some((body) => body.includes('of another organization')), SOON);
      await sameAsFeed(start, reader);
      for (const body of stranger.bodies) expect(JSON.parse(body)).toMatchObject({ organizationId: globex.id });
      for (const body of reader.bodies) expect(JSON.parse(body)).toMatchObject({ organizationId: acme.id });
    });

    it('goes on after every gateway was killed where its reader was: nothing is missed, nothing comes twice', async () => {
      const page = await signedIn(acme, 'OWNER');
      const first = await opened(page);
      const start = first.firstId;
      await write('4915123457002', 'before');
      await eventually(() => first.bodies.some((body) => body.includes('before')), SOON);
      const writing = Promise.all([1, 2, 3, 4].map((n) => write('4915123457002', `meanwhile ${n}`)));
      await Promise.all(GATEWAYS.map((name) => stack.process(name).kill('SIGKILL')));
      await writing;
      await eventually(() => first.hasEnded, SOON);
      const second = await eventually(() => opened(page, { 'last-event-id': first.lastId }), SOON);
      await write('4915123457002', 'after');
      await eventually(() => second.bodies.some((body) => body.includes('"after"')), SOON);
      await sameAsFeed(start, first, second);
      for (const n of [1, 2, 3, 4]) expect([...first.bodies, ...second.bodies].join()).toContain(`meanwhile ${n}`);
    });

    it.each(['sign-out', 'sign-out-everywhere'])('ends with %s, at whatever gateway it is', async (way) => {
      const page = await signedIn(acme, 'ADMIN');
      // More than one connection, so that both gateways have one.
      const streams = await Promise.all([1, 2, 3, 4].map(() => opened(page)));
      await page.post(`/app/api/${way}`);
      await eventually(() => streams.every(({ hasEnded }) => hasEnded));
    });

    it('ends when the membership does', async () => {
      const owner = await signedIn(acme, 'OWNER');
      const email = `stream${Date.now()}@people.example`;
      const { body } = await owner.post('/app/api/invites', { email, role: 'MEMBER' });
      const guest = appClient(baseUrl);
      await guest.post('/app/api/invites/accept', { token: body?.['token'], password: 'correct horse battery staple' });
      const stream = await opened(guest);
      const members = (await owner.get('/app/api/members')).body?.items ?? [];
      const id = members.find(({ user }) => Object(user).email === email)?.id ?? '';
      expect((await owner.ask('DELETE', `/app/api/members/${id}`)).status).toBe(204);
      await eventually(() => stream.hasEnded);
    });

    it('is refused where it starts nowhere, without a session, and beyond ten of a session at a gateway', async () => {
      const page = await signedIn(acme, 'MEMBER');
      for (const id of ['nonsense', 'czzzzzzzzzzzzzzz', `c${'z'.repeat(24)}`]) {
        const refused = await EventStreamReader.ask(baseUrl, page.cookie, { 'last-event-id': id });
        expect([id, refused.status]).toEqual([id, 400]);
      }
      expect((await EventStreamReader.ask(baseUrl, null)).status).toBe(401);
      expect((await page.ask('HEAD', '/app/api/events')).status).toBe(200);
      // All at one moment: none is counted too late. Both gateways together take twice as many at most.
      const asked = Array.from({ length: 40 }, () => EventStreamReader.ask(baseUrl, page.cookie));
      const answered = await Promise.all(asked);
      readers.push(...answered.filter(({ status }) => status === 200));
      const statuses = answered.map(({ status }) => status);
      expect(statuses).toContain(429);
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(20);
    });
  });
