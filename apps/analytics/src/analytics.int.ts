import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import {
  listCountedRpc,
  type CountedMessage,
  type ListCountedRequest,
} from '@switchboard/contracts/messaging/counted-rpc';
import { IncarnationMirror, RpcServerStrategy, type RpcCall } from '@switchboard/nats';
import { rpcFailure } from '@switchboard/platform';
import { runBuiltProgram, testServers, untilReady } from '@switchboard/testing';
import { counted } from '../test/story.js';
import { analyticsMigrations } from './migrations/all.js';

const servers = testServers();
const dist = join(import.meta.dirname, '..', 'dist');

describe('the built programs of analytics', () => {
  it('migrate, become ready, and end with 0 after SIGTERM', async () => {
    const prepared = await servers.serviceDatabase('analytics', []);
    const nats = await servers.nats();
    const migration = runBuiltProgram(servers, join(dist, 'migrate.js'), {
      MIGRATOR_DATABASE_URL: prepared.migratorUrl,
      SERVICE_DATABASE_ROLE: prepared.role,
    });
    expect(await migration.logged('migrations.applied')).toMatchObject({ count: analyticsMigrations.length });

    const access = { NATS_URL: nats.url, NATS_USER: 'analytics', NATS_PASSWORD: nats.password };
    const service = runBuiltProgram(servers, join(dist, 'main.js'), { DATABASE_URL: prepared.url, ...access });
    const { url } = await service.logged('service.ready');
    await untilReady(url);
    expect(await service.stop()).toBe(0);
  });

  it('count all figures anew from the messages when the database turns out to be from a backup', async () => {
    const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
    const superuser = await prepared.superuser();
    const sql = <Row>(text: string): Promise<Row[]> => superuser.dataSource.query(text);
    const nats = await servers.nats();
    const organizationId = newCuid();
    await sql(`INSERT INTO analytics.rollup
      SELECT '${organizationId}', 'messages', grain, date_trunc('day', now(), 'UTC'), 'c1', ARRAY['sent'], ARRAY[5]
      FROM unnest(ARRAY[15, 60, 1440]) AS grain`);
    // What a restore leaves: the broker was shown a later state than the database has.
    await sql(`INSERT INTO analytics.incarnation
      VALUES (1, 7, 'of the backup', NULL, 0, now() - interval '1 hour', now() - interval '1 day')`);
    const mirror = new IncarnationMirror(await nats.connect('analytics'), 'analytics');
    const shown = (await mirror.read())?.sequence ?? 0;
    await mirror.write({ number: 900, token: 'that is gone', consumerEpoch: 3, timeline: null }, shown);
    const messages = new RpcServerStrategy({
      connection: await nats.connect('messaging'),
      service: 'messaging',
      inFlightMax: 10,
      failureOf: () => rpcFailure(new AppError(serviceErrors.INTERNAL)),
    });
    servers.onEnd(() => messages.close());
    messages.addHandler(listCountedRpc.subject, async ({ request: { after } }: RpcCall<ListCountedRequest>) => ({
      messages: after === null ? [kept] : [],
    }));
    messages.listen(() => undefined);

    const access = { NATS_URL: nats.url, NATS_USER: 'analytics', NATS_PASSWORD: nats.password };
    const service = runBuiltProgram(servers, join(dist, 'main.js'), { DATABASE_URL: prepared.url, ...access });
    expect(await service.logged('figures.restored')).toMatchObject({ organizations: 1 });
    await service.logged('service.ready');
    // Not before the consumers have read again what the broker kept, by new durable names.
    const [asked] = await sql(
      `SELECT extract(epoch FROM due_at - requested_at)::int AS seconds, step, (SELECT consumer_epoch FROM analytics.incarnation)
       FROM analytics.rebuild WHERE organization_id = '${organizationId}'`,
    );
    expect(asked).toEqual({ seconds: 900, step: 'messages', consumer_epoch: 4 });
    await sql(`UPDATE analytics.rebuild SET due_at = now()`);
    expect(await service.logged('figures.rebuilt')).toMatchObject({ organizationId });
    for (const grain of [15, 60, 1440]) {
      expect(await counted(superuser, organizationId, grain)).toEqual({ 'messages:accepted': 1, 'messages:sent': 1 });
    }
    expect(await service.stop()).toBe(0);
  });
});

/** All that messaging has. */
const kept: CountedMessage = {
  id: newCuid(),
  messagingChannelId: newCuid(),
  contactId: newCuid(),
  direction: 'OUTBOUND',
  template: null,
  status: 'SENT',
  error: null,
  sentAt: new Date().toISOString(),
  deliveredAt: null,
  readAt: null,
  sequence: 2,
};
