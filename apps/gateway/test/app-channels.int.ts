import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UserActor } from '@switchboard/contracts/grammar/audited-act';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  changeChannelRpc,
  connectChannelRpc,
  disconnectChannelRpc,
  getManagedChannelRpc,
  listManagedChannelsRpc,
  testChannelRpc,
  type ChangeChannelRequest,
} from '@switchboard/contracts/messaging/channel-rpc';
import { channelActed, type ChannelAction } from '@switchboard/contracts/messaging/channel-events';
import type { ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { EventPublisher } from '@switchboard/nats';
import { AppClient, eventually, testServers } from '@switchboard/testing';
import { answerRpcs, bootGateway, type TestGateway } from './gateway-harness.js';
import { makeMember, makeOrganization } from './people-harness.js';

const servers = testServers();
const ID = 'c1234567';
const TOKEN = 'EAAJB-very-secret';
const channel: ManagedChannelView = {
  id: ID,
  name: 'Tienda',
  phone: '+5215512345678',
  provider: 'cloud',
  businessAccountId: '1022',
  isDefault: true,
  status: 'CONNECTED',
  createdAt: '2026-01-01T00:00:00.000Z',
  phoneNumberId: '106540352242922',
  defaultRegion: 'MX',
  optOutKeywords: [],
};
const line = { phoneNumberId: '106540352242922', businessAccountId: '1022', accessToken: TOKEN };

describe('/app/api/channels', () => {
  let booted: TestGateway;
  let owner: AppClient;
  let member: AppClient;
  const asked: { readonly rpc: string; readonly request: unknown }[] = [];

  beforeAll(async () => {
    booted = await bootGateway(servers);
    const answers = (rpc: { readonly subject: string }, answer: unknown) => ({
      [rpc.subject]: (request: unknown) => {
        asked.push({ rpc: rpc.subject, request });
        return answer;
      },
    });
    const disconnected = { ...channel, status: 'DISCONNECTED' };
    await answerRpcs(await (await servers.nats()).connect('messaging'), 'messaging', {
      ...answers(connectChannelRpc, channel),
      [changeChannelRpc.subject]: (request: unknown) => {
        asked.push({ rpc: changeChannelRpc.subject, request });
        const { optOutKeywords } = request as ChangeChannelRequest;
        return { before: channel, after: { ...channel, optOutKeywords: optOutKeywords ?? [] } };
      },
      ...answers(disconnectChannelRpc, { before: channel, after: disconnected }),
      ...answers(testChannelRpc, { connected: false, error: { code: '190', message: 'expired' }, durationMs: 3 }),
      ...answers(getManagedChannelRpc, channel),
      ...answers(listManagedChannelsRpc, { items: [channel] }),
    });
    const organizationId = await makeOrganization(booted.database, { plan: 'STARTER' });
    const clientOf = async (role: 'OWNER' | 'MEMBER'): Promise<AppClient> => {
      const client = new AppClient(booted.gateway.url);
      await client.signIn(await makeMember(booted.database, role, organizationId));
      return client;
    };
    [owner, member] = [await clientOf('OWNER'), await clientOf('MEMBER')];
  });

  beforeEach(() => void asked.splice(0));

  it('connects, changes, tests and disconnects, with the number of the plan, and never shows or logs a token', async () => {
    const made = await owner.post('/app/api/channels', line);
    expect([made.status, made.body]).toEqual([201, channel]);
    expect(asked).toMatchObject([
      { rpc: connectChannelRpc.subject, request: { ...line, defaultRegion: null, isDefault: false, channelsMax: 2 } },
    ]);
    const change = { accessToken: TOKEN, optOutKeywords: ['BAJA'], isDefault: null };
    const changed = await owner.ask('PATCH', `/app/api/channels/${ID}`, change);
    expect([changed.status, changed.body?.['optOutKeywords']]).toEqual([200, ['BAJA']]);
    expect(asked.at(-1)?.request).toEqual({
      id: ID,
      ...change,
      defaultRegion: null,
      channelsMax: 2,
      by: expect.any(Object),
    });
    const tested = await owner.post(`/app/api/channels/${ID}/test`);
    expect(tested.body).toEqual({ connected: false, error: { code: '190', message: 'expired' }, durationMs: 3 });
    const ended = await owner.post(`/app/api/channels/${ID}/disconnect`);
    expect([ended.status, ended.body?.['status']]).toEqual([200, 'DISCONNECTED']);

    const log = (await owner.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.filter(({ action }) => String(action).startsWith('channel.'));
    expect(acts.map(({ action, before, after }) => ({ action, before, after }))).toMatchObject([
      { action: 'channel.disconnected', before: { status: 'CONNECTED' }, after: { id: ID, status: 'DISCONNECTED' } },
      { action: 'channel.tested', before: null, after: { id: ID, connected: false, code: '190' } },
      {
        action: 'channel.changed',
        before: { optOutKeywords: [] },
        after: { optOutKeywords: ['BAJA'], accessToken: 'new' },
      },
      { action: 'channel.connected', before: null, after: { id: ID, accessToken: 'new' } },
    ]);
    expect(JSON.stringify(log)).not.toContain(TOKEN);
  });

  it('has an act in the log once: by its answer or by its event, whatever ends in between', async () => {
    const member = await makeMember(booted.database, 'OWNER');
    const client = new AppClient(booted.gateway.url);
    await client.signIn(member);
    await client.post(`/app/api/channels/${ID}/disconnect`);
    const [{ by }] = asked.map(({ request }) => request) as [{ readonly by: UserActor }];
    expect(by).toMatchObject({ userId: member.id, email: member.email });
    const publisher = new EventPublisher(await (await servers.nats()).connect('messaging'), 'messaging');
    const emit = async (actId: string, action: ChannelAction): Promise<void> => {
      const { subject } = channelActed;
      const data = { action, before: { id: ID }, after: { id: ID }, by: { ...by, actId } };
      const of = { id: actId, subject, organizationId: member.organizationId, aggregateId: ID, sequence: null };
      const payload = JSON.stringify({ ...of, occurredAt: new Date().toISOString(), data });
      await publisher.publish({ id: actId, subject, payload, traceparent: null });
    };
    // Of the act that was answered, and of one whose gateway ended before it wrote.
    await emit(by.actId, 'channel.disconnected');
    await emit(newCuid(), 'channel.tested');
    const acts = await eventually(async () => {
      const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
      const found = log.filter(({ action }) => String(action).startsWith('channel.'));
      return found.length > 1 && found;
    });
    const origin = { actor: { type: 'user', id: member.id, email: member.email }, traceId: by.traceId };
    expect(acts).toMatchObject([
      { action: 'channel.tested', ...origin },
      { action: 'channel.disconnected', before: { status: 'CONNECTED' }, ...origin },
    ]);
  });

  it('has no change in the log that leaves all as it is, and one by which a new token connects it', async () => {
    const client = new AppClient(booted.gateway.url);
    await client.signIn(await makeMember(booted.database, 'OWNER'));
    const changes = [{}, { isDefault: true, optOutKeywords: [] }, { accessToken: TOKEN }];
    for (const change of changes)
      expect((await client.ask('PATCH', `/app/api/channels/${ID}`, change)).status).toBe(200);
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.filter(({ action }) => String(action).startsWith('channel.'));
    expect(acts).toMatchObject([{ action: 'channel.changed', after: { accessToken: 'new' } }]);
  });

  it('is read by every member, and administered by owner and admin alone', async () => {
    expect((await member.get('/app/api/channels')).body).toEqual({ items: [channel] });
    expect((await member.get(`/app/api/channels/${ID}`)).body).toEqual(channel);
    asked.splice(0);
    for (const [method, path, body] of [
      ['POST', '/app/api/channels', line],
      ['PATCH', `/app/api/channels/${ID}`, {}],
      ['POST', `/app/api/channels/${ID}/test`, undefined],
      ['POST', `/app/api/channels/${ID}/disconnect`, undefined],
    ] as const) {
      expect((await member.ask(method, path, body)).status).toBe(403);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    [{ ...line, accessToken: 'two words' }, /^`accessToken` must be an access token/],
    [{ ...line, accessToken: 'line\nbreak' }, /^`accessToken`/],
    [{ ...line, phoneNumberId: '../1' }, /^`phoneNumberId` must be an id of the upstream/],
    [{ ...line, businessAccountId: 1022 }, /^`businessAccountId`/],
    [{ ...line, defaultRegion: 'mx' }, /^`defaultRegion` must be a region .* or null$/],
    [{ ...line, isDefault: 'yes' }, /^`isDefault` must be true or false or null$/],
  ])('refuses %j', async (body, message) => {
    const refused = await owner.post('/app/api/channels', body);
    expect([refused.status, refused.body?.error]).toEqual([
      400,
      { code: 'VALIDATION_FAILED', message: expect.stringMatching(message) },
    ]);
    expect(asked).toEqual([]);
  });

  it.each([[['!!']], [['x'.repeat(65)]], [[7]], ['BAJA'], [Array.from({ length: 51 }, () => 'BAJA')]])(
    'refuses the keywords %j',
    async (optOutKeywords) => {
      const refused = await owner.ask('PATCH', `/app/api/channels/${ID}`, { optOutKeywords });
      expect([refused.status, refused.body?.error?.message]).toEqual([
        400,
        expect.stringMatching(/^`optOutKeywords` must be/),
      ]);
      expect(asked).toEqual([]);
    },
  );
});
