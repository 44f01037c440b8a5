import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UserActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { channelActed } from '@switchboard/contracts/messaging/channel-events';
import type { ChangeChannelRequest, ConnectChannelRequest } from '@switchboard/contracts/messaging/channel-rpc';
import type { Relay } from '@switchboard/outbox';
import { createLog, systemClock } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { ChangeChannel } from '../src/change-channel/change-channel.js';
import { AccessTokens } from '../src/channel/access-token.js';
import type { Channel } from '../src/channel/channel.entity.js';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { ShowToken } from '../src/channel/show-token.js';
import { ConnectChannel } from '../src/connect-channel/connect-channel.js';
import { TestChannel } from '../src/test-channel/test-channel.js';
import type { LineOutcome, LineRequest } from '../src/upstream/line.js';
import { Upstream } from '../src/upstream/upstream.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const { signal } = new AbortController();
const nothing = { accessToken: null, isDefault: null, defaultRegion: null, optOutKeywords: null, channelsMax: 10 };
const found: LineOutcome = { state: 'found', phone: '+5215512345678', name: 'Tienda' };
const expired: LineOutcome = { state: 'refused', kind: 'disconnected', code: '190', message: 'expired' };

describe('channels of the application', () => {
  let inbox: TestInbox;
  let channels: ChannelRepository;
  let connectChannel: ConnectChannel;
  let changeChannel: ChangeChannel;
  let testChannel: TestChannel;
  let organizationId: string;
  let outcome: LineOutcome;
  let asked: LineRequest[];
  const tokens = new AccessTokens({ current: Buffer.alloc(32, 7), previous: null });

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    const { database } = inbox;
    const upstream = {
      findLine: async (request: LineRequest) => {
        asked.push(request);
        return outcome;
      },
    } as Partial<Upstream> as Upstream;
    const relay = { wake: () => undefined } as Partial<Relay> as Relay;
    const showToken = new ShowToken(upstream);
    channels = new ChannelRepository(database);
    connectChannel = new ConnectChannel(database, relay, tokens, showToken);
    changeChannel = new ChangeChannel(database, relay, channels, tokens, showToken);
    testChannel = new TestChannel(
      database,
      relay,
      channels,
      tokens,
      upstream,
      systemClock,
      createLog('messaging', { write: () => undefined }),
    );
  });

  beforeEach(() => {
    organizationId = newCuid();
    outcome = found;
    asked = [];
  });

  function connect(more: Partial<ConnectChannelRequest> = {}, owner = organizationId): Promise<Channel> {
    const line = { channelId: newCuid(), phoneNumberId: newCuid(), businessAccountId: '1022', accessToken: 'token' };
    const request = { ...line, defaultRegion: null, isDefault: false, channelsMax: 10, ...more };
    return connectChannel.execute(owner, request, signal);
  }

  async function change(id: string, more: Partial<ChangeChannelRequest>, owner = organizationId): Promise<Channel> {
    return (await changeChannel.execute(owner, { id, ...nothing, ...more }, signal)).after;
  }

  const stored = (): Promise<Channel[]> => channels.list(organizationId, null, 100);
  const tokenOf = async (id: string): Promise<string> =>
    tokens.open((await channels.sealedToken(organizationId, id)) ?? Buffer.alloc(0), { organizationId, channelId: id });
  const eventsOf = async (id: string): Promise<unknown[]> => (await inbox.eventsOf(id)).map(({ data }) => data);

  it('are what the upstream says of the line, the first one as the default, with its region and its token sealed', async () => {
    const channel = await connect({ accessToken: 'a secret' });
    expect(asked).toMatchObject([{ organizationId, businessAccountId: '1022', accessToken: 'a secret' }]);
    expect(channel).toMatchObject({ name: 'Tienda', phone: '+5215512345678', defaultRegion: 'MX', isDefault: true });
    expect(await stored()).toEqual([expect.objectContaining({ ...channel, status: 'CONNECTED' })]);
    expect(await tokenOf(channel.id)).toBe('a secret');
    const facts = { id: channel.id, status: 'CONNECTED', isDefault: true, businessAccountId: '1022' };
    expect(await eventsOf(channel.id)).toMatchObject([{ channel: facts }]);
    expect(JSON.stringify(await eventsOf(channel.id))).not.toContain('a secret');
  });

  it('are made once for one id, and once for one line, of any organization', async () => {
    const first = await connect();
    const { id: channelId, phoneNumberId } = first;
    expect(await connect({ channelId, phoneNumberId })).toMatchObject({ id: channelId });
    await expect(connect({ phoneNumberId })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(connect({ phoneNumberId }, newCuid())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await stored()).toHaveLength(1);
  });

  it.each<[LineOutcome, object]>([
    [expired, { code: 'UPSTREAM_REJECTED', status: 400, message: expect.stringContaining('(190: expired)') }],
    [{ state: 'unavailable', reason: 'ECONNREFUSED' }, { code: 'SERVICE_UNAVAILABLE' }],
  ])('are not stored or changed unless the upstream agrees: %j', async (refusal, error) => {
    const channel = await connect();
    outcome = refusal;
    await expect(connect()).rejects.toMatchObject(error);
    await expect(change(channel.id, { accessToken: 'other' })).rejects.toMatchObject(error);
    expect([(await stored()).length, await tokenOf(channel.id)]).toEqual([1, 'token']);
    expect(await eventsOf(channel.id)).toHaveLength(1);
  });

  it('are as many connected ones as the plan includes, however many are asked for at once', async () => {
    const asks = Array.from({ length: 6 }, () => connect({ channelsMax: 2, isDefault: true }).then(() => 'connected'));
    const settled = await Promise.all(asks.map((ask) => ask.catch((error: { code: string }) => error.code)));
    expect(settled.sort()).toEqual([...Array.from({ length: 4 }, () => 'PAYMENT_REQUIRED'), 'connected', 'connected']);
    const [one] = await stored();
    await changeChannel.disconnect(organizationId, one?.id ?? '', signal);
    await connect({ channelsMax: 2 });
    const again = change(one?.id ?? '', { accessToken: 'new', channelsMax: 2 });
    const sentence = (which: string): string => `The plan includes ${which} in use`;
    await expect(again).rejects.toMatchObject({ message: sentence('2 connected channels, and all of them are') });
    const alone = connect({ channelsMax: 1 });
    await expect(alone).rejects.toMatchObject({ message: sentence('1 connected channel, which is') });
  });

  it('have exactly one default, whoever becomes it at the same moment', async () => {
    const ids = [];
    for (let count = 0; count < 4; count++) ids.push((await connect()).id);
    const turns = [...ids, ...ids].map((id) => change(id, { isDefault: true }));
    await Promise.all([...turns, connect({ isDefault: true }), connect({ isDefault: true })]);
    const [only, ...others] = (await stored()).filter(({ isDefault }) => isDefault);
    expect(others).toEqual([]);
    const newest = (await Promise.all((await stored()).map(({ id }) => inbox.eventsOf(id)))).map((events) =>
      events.at(-1),
    );
    const announced = newest.filter((event) => (event?.data as { channel: Channel } | undefined)?.channel.isDefault);
    expect(announced.map((event) => event?.aggregateId)).toEqual([only?.id]);
    const refused = change(only?.id ?? '', { isDefault: false });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/`isDefault`/),
    });
  });

  it('keep what is left out of a change, and are connected again by a new token alone', async () => {
    const { id } = await connect();
    const settings = { defaultRegion: 'US', optOutKeywords: ['BAJA'] };
    expect(await change(id, settings)).toMatchObject({ ...settings, isDefault: true, status: 'CONNECTED' });
    expect(asked).toHaveLength(1);
    await changeChannel.disconnect(organizationId, id, signal);
    expect(await change(id, { defaultRegion: 'MX' })).toMatchObject({
      status: 'DISCONNECTED',
      optOutKeywords: ['BAJA'],
    });
    expect(await change(id, { accessToken: 'new' })).toMatchObject({ status: 'CONNECTED', defaultRegion: 'MX' });
    expect(await tokenOf(id)).toBe('new');
  });

  it('are disconnected with their token overwritten, and stay so when that is repeated', async () => {
    const { id } = await connect();
    await changeChannel.disconnect(organizationId, id, signal);
    const { before, after } = await changeChannel.disconnect(organizationId, id, signal);
    expect([before.status, after.status, await tokenOf(id)]).toEqual(['DISCONNECTED', 'DISCONNECTED', '']);
    expect((await eventsOf(id)).at(-1)).toMatchObject({ channel: { status: 'DISCONNECTED', isDefault: true } });
    expect(await testChannel.execute(organizationId, id, signal)).toMatchObject({
      connected: false,
      error: { code: 'UPSTREAM_NOT_CONNECTED' },
    });
    expect(asked).toHaveLength(1);
  });

  it('are disconnected once no attempt that is marked can arrive any more', async () => {
    const { id } = await connect();
    const mark = [organizationId, newCuid(), id];
    await inbox.superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at,
         attempts) VALUES ($1, $2, $3, 'c1234567', '+14155550123', 'l', 'DISPATCHING', now() + interval '1 hour', 1)`,
      mark,
    );
    let hasEnded = false;
    const ended = changeChannel.disconnect(organizationId, id, signal).then(() => void (hasEnded = true));
    await eventually(async () => (await stored())[0]?.status === 'DISCONNECTED');
    expect(hasEnded).toBe(false);
    await inbox.superuser.dataSource.query('DELETE FROM messaging.dispatch WHERE message_id = $1', [mark[1]]);
    await ended;
  });

  it('are tested by their token; one that is refused disconnects, an upstream that is down does not', async () => {
    const { id } = await connect();
    expect(await testChannel.execute(organizationId, id, signal)).toMatchObject({ connected: true, error: null });
    outcome = { state: 'unavailable', reason: 'ECONNREFUSED' };
    expect(await testChannel.execute(organizationId, id, signal)).toMatchObject({
      connected: false,
      error: { code: 'UPSTREAM_UNREACHABLE', message: 'ECONNREFUSED' },
    });
    expect(await stored()).toMatchObject([{ status: 'CONNECTED' }]);
    outcome = expired;
    const refused = { connected: false, error: { code: '190', message: 'expired' } };
    expect(await testChannel.execute(organizationId, id, signal)).toMatchObject(refused);
    expect(await stored()).toMatchObject([{ status: 'DISCONNECTED' }]);
  });

  it('whose token cannot be read say so, and stay connected', async () => {
    const { id } = await connect();
    await inbox.superuser.dataSource.query('UPDATE messaging.channel SET access_token_sealed = $1 WHERE id = $2', [
      Buffer.alloc(60, 1),
      id,
    ]);
    const unreadable = { connected: false, error: { code: 'TOKEN_UNREADABLE' } };
    expect(await testChannel.execute(organizationId, id, signal)).toMatchObject(unreadable);
    expect(await stored()).toMatchObject([{ status: 'CONNECTED' }]);
  });

  it('of another organization do not exist', async () => {
    const { id } = await connect();
    const stranger = newCuid();
    const missing = { code: 'CHANNEL_NOT_FOUND' };
    await expect(change(id, { isDefault: true }, stranger)).rejects.toMatchObject(missing);
    await expect(change(id, { accessToken: 'x' }, stranger)).rejects.toMatchObject(missing);
    await expect(changeChannel.disconnect(stranger, id, signal)).rejects.toMatchObject(missing);
    await expect(testChannel.execute(stranger, id, signal)).rejects.toMatchObject(missing);
    expect(asked).toHaveLength(1);
  });

  describe('acts on them', () => {
    const by = (): UserActor => ({
      actId: newCuid(),
      userId: 'cuser001',
      email: 'ana@example.com',
      address: '192.0.2.7',
      traceId: 'a'.repeat(32),
    });
    const actsOf = async (id: string): Promise<EventEnvelope[]> =>
      (await inbox.eventsOf(id)).filter(({ subject }) => subject === channelActed.subject);

    it('are each emitted for the audit log, under the id of the act and without the token', async () => {
      const acts = [by(), by(), by(), by()] as const;
      const { id } = await connect({ accessToken: 'a secret', by: acts[0] });
      await change(id, { optOutKeywords: ['BAJA'], accessToken: 'other secret', by: acts[1] });
      await testChannel.execute(organizationId, id, signal, acts[2]);
      await changeChannel.disconnect(organizationId, id, signal, acts[3]);
      const emitted = await actsOf(id);
      expect(emitted.map((act) => [act.id, act.organizationId])).toEqual(
        acts.map(({ actId }) => [actId, organizationId]),
      );
      const [none, keyword] = [
        { id, optOutKeywords: [] },
        { id, optOutKeywords: ['BAJA'] },
      ];
      expect(emitted.map(({ data }) => data)).toMatchObject([
        { action: 'channel.connected', before: null, after: { ...none, accessToken: 'new' }, by: acts[0] },
        { action: 'channel.changed', before: none, after: { ...keyword, accessToken: 'new' }, by: acts[1] },
        { action: 'channel.tested', before: null, after: { id, connected: true, code: null }, by: acts[2] },
        {
          action: 'channel.disconnected',
          before: { ...keyword, status: 'CONNECTED' },
          after: { ...keyword, status: 'DISCONNECTED' },
          by: acts[3],
        },
      ]);
      expect(JSON.stringify(emitted)).not.toContain('secret');
    });

    it('are none where a change leaves all as it is', async () => {
      const { id } = await connect({});
      await change(id, { isDefault: true, optOutKeywords: [], by: by() });
      expect(await actsOf(id)).toEqual([]);
    });

    it('are done once when they are asked for again, and answered as the first time', async () => {
      const [connected, changed, tested, ended] = [by(), by(), by(), by()];
      const line = { channelId: newCuid(), phoneNumberId: newCuid(), by: connected };
      const [{ id }] = [await connect(line), await connect(line)];
      const asks = { id, ...nothing, optOutKeywords: ['BAJA'], by: changed };
      const first = await changeChannel.execute(organizationId, asks, signal);
      expect(await changeChannel.execute(organizationId, asks, signal)).toEqual(first);
      await Promise.all([1, 2].map(() => testChannel.execute(organizationId, id, signal, tested)));
      const disconnect = () => changeChannel.disconnect(organizationId, id, signal, ended);
      expect(await disconnect()).toEqual(await disconnect());
      expect((await actsOf(id)).map((act) => act.id)).toEqual(
        [connected, changed, tested, ended].map((one) => one.actId),
      );
    });

    it('emit nothing when they do nothing, or when the caller is of the release before', async () => {
      const { id } = await connect();
      await change(id, { optOutKeywords: ['BAJA'] });
      await testChannel.execute(organizationId, id, signal);
      await changeChannel.disconnect(organizationId, id, signal);
      await changeChannel.disconnect(organizationId, id, signal, by());
      expect(await actsOf(id)).toEqual([]);
    });
  });
});
