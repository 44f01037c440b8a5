import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { ChannelRepository, type ProjectedChannel } from './channel.repository.js';

const servers = testServers();
const idSql = statement('t.channel-id', 'INSERT INTO channel (organization_id, id) VALUES ($1, $2)');
let database: Database;
let channels: ChannelRepository;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('contacts', contactsMigrations)).database();
  channels = new ChannelRepository(database);
});

function channelOf(id: string, defaultRegion: string, sourceEventId: string): ProjectedChannel {
  return { organizationId: 'cacme', id, isDefault: false, defaultRegion, sourceEventId };
}

describe('a channel as it is known here', () => {
  it('is as its newest event says, whatever comes late or again, by an event or as an answer', async () => {
    const id = newCuid();
    for (const [region, eventId] of [
      ['US', 'c1'],
      ['MX', 'c2'],
      ['US', 'c1'],
      ['US', ''],
    ] as const) {
      await channels.project([channelOf(id, region, eventId)]);
    }
    expect(await channels.find('cacme', id)).toEqual({ id, defaultRegion: 'MX' });
    await channels.project([channelOf(id, 'BR', 'c4'), channelOf(id, 'AR', 'c3')]);
    expect(await channels.find('cacme', id)).toEqual({ id, defaultRegion: 'BR' });
    expect(await channels.find('cother', id)).toBeNull();
  });

  it('has the region of an answer where an opt-out has made its id alone known', async () => {
    const id = newCuid();
    await database.query(idSql, ['cacme', id]);
    expect(await channels.find('cacme', id)).toEqual({ id, defaultRegion: null });
    await channels.project([channelOf(id, 'US', '')]);
    expect(await channels.find('cacme', id)).toEqual({ id, defaultRegion: 'US' });
  });
});
