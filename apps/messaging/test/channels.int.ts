import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { Budget } from '@switchboard/nats';
import { testServers } from '@switchboard/testing';
import { ChannelRepository, disconnectChannels, type RefusedToken } from '../src/channel/channel.repository.js';
import { GetChannelHandler } from '../src/get-channel/get-channel.handler.js';
import { ListChannelsHandler } from '../src/list-channels/list-channels.handler.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const budget = new Budget(60_000);

describe('channels', () => {
  let inbox: TestInbox;
  let channels: ChannelRepository;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    channels = new ChannelRepository(inbox.database);
  });

  const list = (principal: Principal, limit: number, cursor: string | null = null) =>
    new ListChannelsHandler(channels).list({ principal, request: { limit, cursor }, budget });
  const get = (principal: Principal, id: string | null) =>
    new GetChannelHandler(channels).get({ principal, request: { id }, budget });

  async function tokenOf(organizationId: string, channelId: string): Promise<RefusedToken> {
    const sql = 'SELECT access_token_sealed AS sealed FROM channel WHERE id = $1';
    const [row] = await inbox.database.dataSource.query(sql, [channelId]);
    return { organizationId, channelId, accessTokenSealed: row.sealed };
  }

  it('are listed newest first, page by page, of one organization alone, without a secret', async () => {
    const own = inbox.ofAnotherOrganization();
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await own.addChannel()).id);
    const [oldest, middle, newest] = ids;
    const page = await list(own.principal, 2);
    expect([page.items.map(({ id }) => id), page.nextCursor]).toEqual([[newest, middle], middle]);
    const rest = await list(own.principal, 2, middle);
    expect(rest).toEqual({
      items: [
        {
          id: oldest,
          name: 'line 1',
          phone: '+12015550181',
          provider: 'cloud',
          businessAccountId: '1022',
          isDefault: true,
          status: 'CONNECTED',
          createdAt: cuidTime(oldest ?? '').toISOString(),
        },
      ],
    });
    expect(await list(own.ofAnotherOrganization().principal, 25)).toEqual({ items: [] });
  });

  it('are found by id, or as the default one, in their organization alone', async () => {
    const own = inbox.ofAnotherOrganization();
    const missing = { code: 'CHANNEL_NOT_FOUND' };
    await expect(get(own.principal, null)).rejects.toMatchObject(missing);
    const [first, second] = [await own.addChannel(), await own.addChannel()];
    const facts = { businessAccountId: '1022', phone: '+12015550181', status: 'CONNECTED', defaultRegion: 'US' };
    expect(await get(own.principal, null)).toEqual({
      channel: { id: first.id, name: 'line 1', isDefault: true, ...facts },
    });
    expect(await get(own.principal, second.id)).toEqual({
      channel: { id: second.id, name: 'line 2', isDefault: false, ...facts },
    });
    await expect(get(own.principal, newCuid())).rejects.toMatchObject(missing);
    await expect(get(own.ofAnotherOrganization().principal, first.id)).rejects.toMatchObject(missing);
  });

  it('whose token was refused emit their disconnection in the same transaction, once, and no others do', async () => {
    const own = inbox.ofAnotherOrganization();
    const [refused, other] = [await own.addChannel(), await own.addChannel()];
    const token = await tokenOf(own.organizationId, refused.id);
    const outdated = { ...(await tokenOf(own.organizationId, other.id)), accessTokenSealed: Buffer.alloc(8) };
    const changesOf = async (id: string): Promise<unknown[]> => (await inbox.eventsOf(id)).slice(1);

    const rolledBack = inbox.database.transaction(async (tx) => {
      await disconnectChannels(tx, [token]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect([(await channels.find(own.organizationId, refused.id))?.status, await changesOf(refused.id)]).toEqual([
      'CONNECTED',
      [],
    ]);

    await inbox.database.transaction((tx) => disconnectChannels(tx, [token, outdated, token]));
    await inbox.database.transaction((tx) => disconnectChannels(tx, [token]));
    expect((await channels.find(own.organizationId, refused.id))?.status).toBe('DISCONNECTED');
    expect((await channels.find(own.organizationId, other.id))?.status).toBe('CONNECTED');
    expect(await changesOf(other.id)).toEqual([]);
    expect(await changesOf(refused.id)).toMatchObject([
      {
        subject: 'messaging.channel.changed.v1',
        organizationId: own.organizationId,
        sequence: null,
        data: await get(own.principal, refused.id),
      },
    ]);
  });
});
