import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppClient, type Credentials, testServers } from '@switchboard/testing';
import { bootGateway, type TestGateway } from './gateway-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

describe('signing in as another person in the same browser', () => {
  it('ends the session that the browser had, and the log of its organization says so', async () => {
    const [first, second] = [await makeMember(booted.database), await makeMember(booted.database)];
    const shared = await AppClient.signedIn(booted.gateway.url, first);
    const left = new AppClient(booted.gateway.url);
    left.cookie = shared.cookie;
    await shared.signIn(second);
    expect((await left.get('/app/api/session')).status).toBe(401);
    const actsOf = async ({ organizationId }: { readonly organizationId: string }): Promise<unknown> =>
      booted.database.dataSource.query(
        `SELECT action, actor_email, address FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence`,
        [organizationId],
      );
    const act = (action: string, { email }: Credentials) => ({ action, actor_email: email, address: '127.0.0.1' });
    expect(await actsOf(first)).toEqual([act('user.signed-in', first), act('user.signed-out', first)]);
    expect(await actsOf(second)).toEqual([act('user.signed-in', second)]);
    // Over one that has ended by time.
    await booted.database.dataSource.query(
      `UPDATE gateway.session SET last_seen_at = last_seen_at - interval '1 hour' WHERE user_id = $1`,
      [second.id],
    );
    await shared.signIn(first);
    expect(await actsOf(second)).toEqual([act('user.signed-in', second)]);
    const sessions = 'SELECT 1 FROM gateway.session WHERE user_id = $1';
    expect(await booted.database.dataSource.query(sessions, [second.id])).toEqual([]);
  });
});
