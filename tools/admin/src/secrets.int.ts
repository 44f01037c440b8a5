import { createCipheriv, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayMigrations } from '@switchboard/gateway/migrations';
import { messagingMigrations } from '@switchboard/messaging/migrations';
import type { Database } from '@switchboard/postgres';
import { SecretBox } from '@switchboard/secrets';
import { testServers, type ServiceDatabase } from '@switchboard/testing';
import { webhooksMigrations } from '@switchboard/webhooks/migrations';
import { readAdminConfig } from './admin.config.js';
import { runAdmin } from './admin.js';

const servers = testServers();
const [former, current] = [randomBytes(32), randomBytes(32)];
const formerBox = new SecretBox({ current: former, previous: null });
/** What a service reads once the former master key is taken away. */
const currentBox = (): SecretBox => new SecretBox({ current, previous: null });

async function rotate(
  prepared: ServiceDatabase,
  keys: Record<string, string>,
): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const config = readAdminConfig('/nowhere', { DATABASE_URL: prepared.superuserUrl, ...keys });
  const code = await runAdmin(['secrets', 'rotate', '--json'], { config, out: say, err: say, operator: null });
  return { code, said: said.join('\n') };
}

/** As the first releases of messaging sealed a token. */
function sealedForNoPlace(text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', former, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

const bothKeys = {
  CREDENTIALS_KEY: current.toString('base64'),
  CREDENTIALS_KEY_PREVIOUS: former.toString('base64'),
};

describe('secrets rotate', () => {
  let webhooks: ServiceDatabase;
  let database: Database;

  beforeAll(async () => {
    webhooks = await servers.serviceDatabase('webhooks', webhooksMigrations);
    database = await webhooks.superuser();
  });

  const sql = (text: string, values: unknown[] = []): Promise<Record<string, Buffer & string>[]> =>
    database.dataSource.query(text, values);

  async function addWebhook(
    organizationId: string,
    id: string,
    secret: string,
    previous: string | null,
  ): Promise<void> {
    const dataKey = formerBox.newDataKey(organizationId);
    const seal = (text: string, column: string): Buffer =>
      formerBox.seal(text, { organizationId, table: 'webhook', row: id, column }, dataKey);
    await sql('INSERT INTO webhooks.data_key VALUES ($1, $2) ON CONFLICT DO NOTHING', [organizationId, dataKey]);
    await sql(
      `INSERT INTO webhooks.webhook (organization_id, id, url, events, secret_sealed, previous_secret_sealed,
         previous_secret_until, events_from)
       VALUES ($1, $2, 'https://a.example/', '{message.sent}', $3, $4::bytea, CASE WHEN $4::bytea IS NULL THEN NULL ELSE now() END, '')`,
      [organizationId, id, seal(secret, 'secret_sealed'), previous && seal(previous, 'previous_secret_sealed')],
    );
  }

  it('seals every secret anew: the former master key opens none any more, and one data key is an organization’s', async () => {
    await addWebhook('c1', 'w1', 'whsec_one', 'whsec_before');
    await addWebhook('c1', 'w2', 'whsec_two', null);
    await addWebhook('c2', 'w3', 'whsec_three', null);
    const { code, said } = await rotate(webhooks, bothKeys);
    expect([code, JSON.parse(said)]).toEqual([0, { service: 'webhooks', organizations: 2, values: 4 }]);
    const rows = await sql('SELECT * FROM webhooks.webhook ORDER BY id');
    const place = { organizationId: 'c1', table: 'webhook', row: 'w1' };
    const [first] = rows;
    expect(currentBox().open(first?.['secret_sealed'] ?? Buffer.alloc(0), { ...place, column: 'secret_sealed' })).toBe(
      'whsec_one',
    );
    const previous = first?.['previous_secret_sealed'] ?? Buffer.alloc(0);
    expect(currentBox().open(previous, { ...place, column: 'previous_secret_sealed' })).toBe('whsec_before');
    for (const row of rows) {
      const own = { organizationId: String(row['organization_id']), table: 'webhook', row: String(row['id']) };
      const sealed = row['secret_sealed'] ?? Buffer.alloc(0);
      expect(() => formerBox.open(sealed, { ...own, column: 'secret_sealed' })).toThrow(/unknown master key/);
      const [key] = await sql('SELECT wrapped FROM webhooks.data_key WHERE organization_id = $1', [own.organizationId]);
      expect(
        sealed
          .subarray(4)
          .subarray(0, key?.['wrapped']?.length)
          .equals(key?.['wrapped'] ?? Buffer.alloc(0)),
      ).toBe(true);
    }
  });

  it('may be repeated without the former key', async () => {
    expect((await rotate(webhooks, { CREDENTIALS_KEY: bothKeys.CREDENTIALS_KEY })).code).toBe(0);
  });

  it('names a value that was moved, leaves it, and seals the others', async () => {
    await sql(
      "UPDATE webhooks.webhook SET secret_sealed = (SELECT secret_sealed FROM webhooks.webhook WHERE id = 'w2') WHERE id = 'w1'",
    );
    const { code, said } = await rotate(webhooks, bothKeys);
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/No key opens 1 values[^]*webhooks.webhook w1 secret_sealed of c1$/),
    ]);
  });

  it('opens no value that was sealed for no place where none ever was, and names each that no key opens', async () => {
    const ids = Array.from({ length: 7 }, (_, n) => `lost${n}`);
    for (const id of ids) await addWebhook('c3', id, 'whsec_lost', 'whsec_before');
    await sql('UPDATE webhooks.webhook SET secret_sealed = $1 WHERE organization_id = $2', [
      sealedForNoPlace('token'),
      'c3',
    ]);
    const { code, said } = await rotate(webhooks, bothKeys);
    const named = said.split('\n').filter((line) => line.includes('of c3'));
    expect([code, named]).toEqual([1, ids.map((id) => `  webhooks.webhook ${id} secret_sealed of c3`)]);
  });

  it('says which key is missing', async () => {
    expect(await rotate(webhooks, {})).toEqual({ code: 1, said: expect.stringContaining('CREDENTIALS_KEY') });
  });

  it('binds tokens of earlier versions to their channels', async () => {
    const messaging = await servers.serviceDatabase('messaging', messagingMigrations);
    const { dataSource } = await messaging.superuser();
    const earlier = sealedForNoPlace('token');
    await dataSource.query(
      `INSERT INTO messaging.channel (organization_id, id, name, phone, provider, business_account_id, phone_number_id,
         access_token_sealed, default_region, is_default, status, created_at)
       VALUES ('c1', 'ch1', 'line', '+12015550181', 'cloud', '1022', '3001', $1, 'US', true, 'CONNECTED', now())`,
      [earlier],
    );
    const place = { organizationId: 'c1', table: 'channel', row: 'ch1', column: 'access_token_sealed' };
    expect(new SecretBox({ current: former, previous: null }, { readsUnbound: true }).open(earlier, place)).toBe(
      'token',
    );
    expect((await rotate(messaging, bothKeys)).code).toBe(0);
    const [{ access_token_sealed: sealed }] = await dataSource.query(
      'SELECT access_token_sealed FROM messaging.channel',
    );
    expect(currentBox().open(sealed, place)).toBe('token');
    expect(() => currentBox().open(sealed, { ...place, row: 'ch2' })).toThrow();
  });

  it('seals the seeds of second factors anew, under data keys of their persons', async () => {
    const gateway = await servers.serviceDatabase('gateway', gatewayMigrations);
    const { dataSource } = await gateway.superuser();
    const place = { organizationId: 'cperson0', table: 'second_factor', row: 'cperson0', column: 'seed_sealed' };
    const dataKey = formerBox.newDataKey('cperson0');
    await dataSource.query(
      `INSERT INTO gateway.user_account (id, email, name, password_hash) VALUES ('cperson0', 'a@b.example', 'Ann', 'x')`,
    );
    await dataSource.query('INSERT INTO gateway.data_key VALUES ($1, $2)', ['cperson0', dataKey]);
    await dataSource.query(
      'INSERT INTO gateway.second_factor (user_id, seed_sealed, created_at) VALUES ($1, $2, now())',
      ['cperson0', formerBox.seal('SEED', place, dataKey)],
    );
    expect((await rotate(gateway, bothKeys)).code).toBe(0);
    const [{ seed_sealed: sealed }] = await dataSource.query('SELECT seed_sealed FROM gateway.second_factor');
    expect(currentBox().open(sealed, place)).toBe('SEED');
    expect(() => formerBox.open(sealed, place)).toThrow(/unknown master key/);
  });
});
