import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stage } from '@switchboard/chaos/stage';
import type { RunningStack } from '@switchboard/dev';
import { eventually } from '@switchboard/testing/eventually';
import pg from 'pg';
import { Api, Simulator, type ApiAnswer } from './api.js';

const TWINS = 1_000;
/** Longer than a caller waits for the upstream, and than a process takes to come back. */
const SETTLED = { deadlineMs: 60_000 };
/** What a busy machine answers to a request that had to wait: its head came too late, or a budget was spent. */
const TOO_LATE: readonly number[] = [408, 503];
/** Until the last of the twins is answered by a busy machine. */
const ALL_ANSWERED = { deadlineMs: 120_000 };

/** What an `Idempotency-Key` promises, over two gateways and two replicas of messaging, as tests. */
export const describeIdempotency = (running: () => Stage): void =>
  describe('an Idempotency-Key, over two gateways and two replicas of messaging', () => {
    let stack: RunningStack;
    let client: pg.Client;
    let simulator: Simulator;
    /** One organization at each gateway, and another. */
    let acme: Api;
    let acmeElsewhere: Api;
    let globex: Api;
    let acmeId: string;
    let phones = 0;

    beforeAll(async () => {
      ({ stack } = running());
      const { baseUrl, databaseUrl, simulatorUrl, organizations } = stack.devJson;
      const [first, second] = organizations ?? [];
      const elsewhere = stack.process('gateway-2').url;
      if (!first || !second || !baseUrl || !simulatorUrl || !elsewhere)
        throw new Error('the stack has nothing to test');
      [acme, acmeElsewhere] = [new Api(baseUrl, first.apiKey), new Api(elsewhere, first.apiKey)];
      globex = new Api(baseUrl, second.apiKey);
      acmeId = first.id;
      simulator = new Simulator(simulatorUrl);
      client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
    });

    afterAll(async () => {
      await client?.end();
    });

    it.each([
      ['at once, to somebody who was never written to', 0],
      ['while the upstream takes its time', 3_000],
    ])(
      `makes one message of ${TWINS} twins %s: its answer or 409 for each, later its answer for all`,
      async (when, ms) => {
        const to = nextPhone();
        const key = `twins ${when}`;
        await simulator.post('knobs', { latencyMs: ms });
        const twins = await Promise.all(
          Array.from({ length: TWINS }, (_, n) => sendUnless(TOO_LATE, n % 2 ? acme : acmeElsewhere, key, { to })),
        );
        await simulator.post('knobs', { latencyMs: 0 });
        const counts = Map.groupBy(twins, ({ status }) => status);
        process.stderr.write(
          `idempotency: ${[...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')}\n`,
        );
        expect([...counts.keys()].filter((status) => status !== 200 && status !== 409)).toEqual([]);
        // Those who come before there is an answer.
        if (ms > 0) expect(counts.get(409)?.length).toBeGreaterThan(0);
        const later = await sendUnless([...TOO_LATE, 409], acme, key, { to });
        const answers = [...(counts.get(200) ?? []), later];
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        // None when the first was refused as too late after its message was stored: sent again, it is a repetition.
        expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed')).length).toBeLessThanOrEqual(1);
        for (const { headers, body } of counts.get(409) ?? []) {
          expect([body?.error?.code, headers.get('retry-after')]).toEqual(['CONFLICT', '1']);
        }
        await expectReplays(key, { to }, answers[0]);
        const [one] = answers;
        const messages = await acme.get(`/v1/conversations/${String(one?.body?.['conversationId'])}/messages`);
        expect(messages.body?.items?.map(({ id }) => id)).toEqual([one?.body?.id]);
        expect(await simulator.requests(`to=${to.slice(1)}`)).toHaveLength(1);
      },
    );

    it('is refused with another body, well shaped or not, and means nothing in another organization', async () => {
      const to = nextPhone();
      const first = await send(acme, 'mine', { to });
      for (const body of [{ to, text: 'other' }, { to }, {}, { to, text: 'hi', messagingChannelId: unknownId() }]) {
        const refused = await ask(acmeElsewhere, 'mine', JSON.stringify(body));
        expect([refused.status, refused.body?.error?.code]).toEqual([409, 'CONFLICT']);
      }
      const foreign = await send(globex, 'mine', { to });
      expect([foreign.status, foreign.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(foreign.body?.id).not.toBe(first.body?.id);
      await expectReplays('mine', { to }, first);
      expect((await send(globex, 'mine', { to })).text).toBe(foreign.text);
    });

    it('is free again after what was refused before anything was stored', async () => {
      const to = nextPhone();
      const optedOut = await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone: to }));
      const refusals = [
        await ask(acme, 'free', JSON.stringify({ to })),
        await ask(acme, 'free', JSON.stringify({ to, text: 'hi', messagingChannelId: unknownId() })),
        await ask(acme, 'free', JSON.stringify({ to: 'no number', text: 'hi' })),
        await ask(acme, 'free', JSON.stringify({ to, text: 'hi' })),
      ];
      expect(refusals.map(({ status, body }) => [status, body?.error?.code])).toEqual([
        [400, 'VALIDATION_FAILED'],
        [404, 'CHANNEL_NOT_FOUND'],
        [400, 'INVALID_PHONE'],
        [403, 'CONTACT_OPTED_OUT'],
      ]);
      await acme.ask('DELETE', `/v1/opt-outs/${optedOut.body?.id}`);
      const sent = await send(acme, 'free', { to });
      expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([200, null]);
      await expectReplays('free', { to }, sent);
    });

    it.each([
      ['00', 400],
      ['05', 403],
    ])('repeats the refusal of a message that was stored (…01%s): %i with its X-Message-Id', async (nn, status) => {
      const to = `+120155501${nn}`;
      const refused = await send(acme, `refused ${nn}`, { to });
      expect(refused.status).toBe(status);
      expect(refused.headers.get('x-message-id')).toMatch(/^c[0-9a-z]{24}$/);
      await expectReplays(`refused ${nn}`, { to }, refused);
      expect(await simulator.requests(`reference=${refused.headers.get('x-message-id')}`)).toHaveLength(1);
    });

    it.each(['08', '09'])('repeats what was first answered (…01%s) although the message has moved on', async (nn) => {
      const to = `+120155501${nn}`;
      const queued = await send(acme, `queued ${nn}`, { to });
      expect([queued.status, queued.body?.upstreamMessageId]).toEqual([200, null]);
      const moved = async (): Promise<boolean> =>
        (await acme.get(`/v1/messages/${queued.body?.id}`)).body?.status === 'DELIVERED';
      await eventually(moved, SETTLED);
      await expectReplays(`queued ${nn}`, { to }, queued);
    });

    it('goes before the plan: what was sent is answered when nothing may be sent any more', async () => {
      const to = nextPhone();
      const sent = await send(acme, 'paid', { to });
      const setStatus = (status: string): Promise<unknown> =>
        client.query('UPDATE gateway.organization SET subscription_status = $2 WHERE id = $1', [acmeId, status]);
      await setStatus('PAST_DUE');
      try {
        await expectReplays('paid', { to }, sent);
        expect((await ask(acme, 'paid', '{}')).status).toBe(409);
        expect((await send(acme, 'unpaid', { to })).status).toBe(402);
      } finally {
        await setStatus('ACTIVE');
      }
      expect((await send(acme, 'unpaid', { to })).headers.get('idempotent-replayed')).toBeNull();
    });

    it('is kept for 24 hours', async () => {
      const to = nextPhone();
      const first = await send(acme, 'daily', { to });
      const age = (by: string): Promise<unknown> =>
        client.query('UPDATE messaging.idempotency_key SET created_at = now() - $2::interval WHERE message_id = $1', [
          first.body?.id,
          by,
        ]);
      await age('23 hours 58 minutes');
      await expectReplays('daily', { to }, first);
      await age('24 hours');
      const next = await send(acme, 'daily', { to });
      expect([next.status, next.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(next.body?.id).not.toBe(first.body?.id);
    });

    it.each([
      ['both replicas of messaging', ['messaging', 'messaging-2']],
      ['the gateway', ['gateway-2']],
      ['the gateway and messaging', ['gateway-2', 'messaging', 'messaging-2']],
    ])('answers the outcome of the message when %s is killed while it is being sent', async (_what, names) => {
      const to = nextPhone();
      const key = `killed ${names.join(' ')}`;
      await simulator.post('knobs', { latencyMs: 1_500 });
      const cut = send(acmeElsewhere, key, { to }).catch(() => null);
      await eventually(async () => (await simulator.requests(`to=${to.slice(1)}`)).length === 1, SETTLED);
      await Promise.all(names.map((name) => stack.process(name).kill('SIGKILL')));
      await simulator.post('knobs', { latencyMs: 0 });
      await Promise.all(names.map((name) => stack.process(name).restarted()));
      const answer = await eventually(async () => {
        const again = await send(acme, key, { to });
        return again.status !== 409 && again.status < 500 ? again : undefined;
      }, SETTLED);
      expect(answer.status).toBe(200);
      const first = await cut;
      if (first && first.status < 500) expect([first.status, first.text]).toEqual([answer.status, answer.text]);
      await expectReplays(key, { to }, answer);
      await eventually(
        async () => (await acme.get(`/v1/messages/${answer.body?.id}`)).body?.status === 'DELIVERED',
        SETTLED,
      );
      await expectReplays(key, { to }, answer);
      expect(await simulator.requests(`to=${to.slice(1)}`)).toHaveLength(1);
    });

    function nextPhone(): string {
      return `+1415${5_560_000 + ++phones}`;
    }

    async function send(through: Api, key: string, { to }: { readonly to: string }): Promise<ApiAnswer> {
      return ask(through, key, JSON.stringify({ to, text: 'hi' }));
    }

    /** As a caller does: what is refused with one of these statuses is sent again. */
    async function sendUnless(
      refusals: readonly number[],
      through: Api,
      key: string,
      message: { readonly to: string },
    ): Promise<ApiAnswer> {
      return eventually(async () => {
        const answer = await send(through, key, message);
        return refusals.includes(answer.status) ? undefined : answer;
      }, ALL_ANSWERED);
    }

    async function ask(through: Api, key: string, body: string): Promise<ApiAnswer> {
      return through.ask('POST', '/v1/messages', body, { 'idempotency-key': key });
    }

    /** Through both gateways, several at a time: status, bytes and message as they were. */
    async function expectReplays(key: string, { to }: { readonly to: string }, first?: ApiAnswer): Promise<void> {
      const replays = await Promise.all(
        [acme, acmeElsewhere, acme, acmeElsewhere].map((one) => send(one, key, { to })),
      );
      const seen = replays.map(({ status, text, headers }) => [
        status,
        text,
        headers.get('x-message-id'),
        headers.get('idempotent-replayed'),
      ]);
      const expected = [first?.status, first?.text, first?.headers.get('x-message-id') ?? null, 'true'];
      expect(seen).toEqual(replays.map(() => expected));
    }
  });

function unknownId(): string {
  return 'c'.padEnd(25, '1');
}
