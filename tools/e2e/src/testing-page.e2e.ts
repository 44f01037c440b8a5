import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicDescription } from '@switchboard/check/description/described-answers';
import { errorRegistry } from '@switchboard/contracts/error-registry';
import { sim, type SeededOrganization } from '@switchboard/dev';
import type { AppClient } from '@switchboard/testing/app-client';
import { eventually } from '@switchboard/testing/eventually';
import { Api, type ApiAnswer, type ApiBody } from './api.js';
import { signedInClient } from './app-client.js';
import { operator } from './operator.js';
import { personIn } from './people.js';
import { sharedStack } from './shared-stack.js';
import { StackDatabase } from './stack-database.js';
import type { UsableStack } from './start-everything.js';

/** What becomes of a message after its answer. */
interface Row {
  readonly answer: string;
  readonly upstreamCode?: string;
  readonly ends: readonly string[];
  readonly error?: string;
}
const SENT = ['SENT', 'DELIVERED', 'READ'];
const rejected = (upstreamCode: string): Row => ({
  answer: '400 UPSTREAM_REJECTED',
  upstreamCode,
  ends: ['FAILED'],
  error: upstreamCode,
});
const later: Row = { answer: '200 null', ends: SENT };
const unknown: Row = { answer: '200 null', ends: ['FAILED'], error: 'UPSTREAM_OUTCOME_UNKNOWN' };
/** The rows of the table, as a caller sees them. */
const rows: Readonly<Record<string, Row>> = {
  '+12015550100': rejected('131026'),
  '+12015550101': rejected('131047'),
  '+12015550102': later,
  '+12015550103': later,
  '+12015550104': unknown,
  '+12015550105': { answer: '403 CONTACT_OPTED_OUT', ends: ['FAILED'] },
  '+12015550106': rejected('100'),
  '+12015550107': unknown,
  '+12015550108': later,
  '+12015550109': later,
  '+12015550110': { answer: '200 id', ends: ['FAILED'], error: '131049' },
  '+12015550111': { answer: '200 id', ends: ['READ'] },
  '+12015550112': { answer: '200 id', ends: ['DELIVERED', 'READ'] },
  '+12015550113': unknown,
};
const SOON = { deadlineMs: 90_000 };
/** The id of nothing that the table of errors names. */
const NOTHING = 'czzzzzzzzzzzzzzzzzzzzzzzz';

describe('the page Testing of the reference', () => {
  const page = String((publicDescription['info'] as { description?: unknown }).description);
  let all: UsableStack;
  let own: SeededOrganization;
  let api: Api;
  let owner: AppClient;
  let dataDir: string;
  let database: StackDatabase;

  beforeAll(async () => {
    all = await sharedStack();
    database = await StackDatabase.open(all.stack);
    const found = all.stack.devJson.organizations?.[2];
    if (!found) throw new Error('there is no third organization');
    own = found;
    api = new Api(all.baseUrl, own.apiKey);
    owner = await signedInClient(all.baseUrl, personIn(own, 'OWNER'));
    // What the commands look for in the folder of a local run.
    dataDir = await mkdtemp(join(tmpdir(), 'switchboard-testing-'));
    await writeFile(join(dataDir, 'dev.json'), JSON.stringify(all.stack.devJson));
  });

  afterAll(async () => {
    await database?.close();
    if (dataDir) await rm(dataDir, { recursive: true, force: true });
  });

  const messageWhen = (id: unknown, fits: (message: ApiBody) => boolean): Promise<ApiBody> =>
    eventually(async () => {
      const { body } = await api.get(`/v1/messages/${String(id)}`);
      return body && fits(body) ? body : undefined;
    }, SOON);
  const isUnknown = async (id: unknown): Promise<boolean> => {
    const sql = `SELECT FROM messaging.dispatch WHERE message_id = $1 AND state = 'UNKNOWN'`;
    return (await database.query(sql, [id])).length > 0;
  };
  const idOf = ({ body, headers }: ApiAnswer): unknown => body?.id ?? headers.get('x-message-id');

  it('names each recipient that is tested here, and no other', () => {
    const named = [...page.matchAll(/^\| `(\+\d+)` \|/gm)].map(([, phone]) => phone);
    expect(named).toEqual(Object.keys(rows));
  });

  it.each(Object.entries(rows))('%s does what its row says', async (to, row) => {
    const [, said = ''] = new RegExp(`^\\| \`\\${to}\` \\| (.*)$`, 'm').exec(page) ?? [];
    const sent = await api.send(to, 'Hello');
    const short = sent.body?.error?.code ?? (sent.body?.upstreamMessageId === null ? 'null' : 'id');
    expect(`${sent.status} ${short}`).toBe(row.answer);
    expect(said).toMatch(new RegExp(`^${sent.status}`));
    if (sent.status !== 200) expect(said).toContain(`\`${short}\``);
    if (row.upstreamCode) {
      expect(said).toContain(row.upstreamCode);
      expect(sent.headers.get('x-upstream-code')).toBe(row.upstreamCode);
    }
    if (row.error === 'UPSTREAM_OUTCOME_UNKNOWN') {
      // Its outcome is unknown once the attempt has ended.
      await eventually(() => isUnknown(idOf(sent)), SOON);
      await operator(dataDir, `dispatch give-up ${String(idOf(sent))}`);
    }
    const ended = await messageWhen(idOf(sent), ({ status = '' }) => row.ends.includes(status));
    if (row.error) expect(ended.error?.code).toBe(row.error);
    if (row.ends.includes('READ') && ended.status === 'READ') expect(ended['deliveredAt']).not.toBeNull();
    if (row.answer !== '403 CONTACT_OPTED_OUT') return;
    const query = `to=${encodeURIComponent(to.slice(1))}`;
    const asked = (await all.simulator.requests(query)).length;
    const again = await api.send(to, 'Hello again');
    expect([again.status, again.body?.error?.code, asked > 0]).toEqual([403, 'CONTACT_OPTED_OUT', true]);
    expect(await all.simulator.requests(query)).toHaveLength(asked);
    const { body } = await api.get(`/v1/opt-outs?phone=${encodeURIComponent(to)}`);
    expect(body?.items?.map(({ source }) => source)).toEqual(['UPSTREAM']);
    await api.ask('DELETE', `/v1/opt-outs/${body?.items?.[0]?.id}`);
  });

  it('names a way to each code of the registry, once', () => {
    const [, table = ''] = page.split('| code | a way to it |');
    const lines = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const named = lines.flatMap((line) =>
      [...(line.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code),
    );
    expect(named.sort()).toEqual([...errorRegistry.keys()].sort());
  });

  it('reaches the errors by these ways', async () => {
    const to = '+14155550183';
    const post = (path: string, body: string, headers = {}): Promise<ApiAnswer> => api.ask('POST', path, body, headers);
    const bulk = (by: Api, name: string): Promise<ApiAnswer> =>
      by.ask(
        'POST',
        '/v1/templates/send',
        JSON.stringify({ template: { name, language: 'en_US' }, recipients: [{ to }] }),
      );
    const starter = new Api(all.baseUrl, all.stack.devJson.organizations?.[1]?.apiKey ?? '');
    const narrow = await operator(dataDir, `api-keys create ${own.id} --label narrow --scopes messages:read`);
    const sent = await api.send(to, 'Hello');
    const first = await post('/v1/messages', JSON.stringify({ to, text: 'one' }), { 'idempotency-key': NOTHING });
    expect([sent.status, first.status]).toEqual([200, 200]);
    const missing = (path: string): Promise<ApiAnswer> => api.get(`/v1/${path}/${NOTHING}`);
    const ways: readonly (readonly [string, () => Promise<ApiAnswer>])[] = [
      ['INVALID_PHONE', () => api.send('+1201', 'Hello')],
      ['VALIDATION_FAILED', () => api.send(to, undefined)],
      ['MALFORMED_BODY', () => post('/v1/messages', '{"to":"+14155550183"')],
      ['UNSUPPORTED_MEDIA_TYPE', () => post('/v1/messages', '{}', { 'content-type': 'text/plain' })],
      [
        'INVALID_TRANSITION',
        () => api.ask('PATCH', `/v1/conversations/${String(sent.body?.['conversationId'])}`, '{"status":"ARCHIVED"}'),
      ],
      ['TEMPLATE_NOT_APPROVED', () => bulk(api, 'loyalty_update')],
      ['TEMPLATE_VARIABLES_MISMATCH', () => bulk(api, 'order_confirmation')],
      ['UNAUTHORIZED', () => new Api(all.baseUrl, `${own.apiKey.slice(0, -1)}_`).get('/v1/ping')],
      ['PAYMENT_REQUIRED', () => bulk(starter, 'welcome')],
      ['INSUFFICIENT_SCOPE', () => new Api(all.baseUrl, narrow.split('\n')[0] ?? '').send(to, 'Hello')],
      ['CHANNEL_NOT_FOUND', () => api.send(to, 'Hello', { messagingChannelId: NOTHING })],
      ['CONTACT_NOT_FOUND', () => missing('contacts')],
      ['CONVERSATION_NOT_FOUND', () => missing('conversations')],
      ['MESSAGE_NOT_FOUND', () => missing('messages')],
      ['OPT_OUT_NOT_FOUND', () => missing('opt-outs')],
      ['TEMPLATE_NOT_FOUND', () => missing('templates')],
      ['JOB_NOT_FOUND', () => missing('templates/send')],
      ['NOT_FOUND', () => api.get('/v1/nothing')],
      ['METHOD_NOT_ALLOWED', () => api.ask('DELETE', '/v1/messages')],
      ['CONFLICT', () => post('/v1/messages', JSON.stringify({ to, text: 'two' }), { 'idempotency-key': NOTHING })],
      ['PAYLOAD_TOO_LARGE', () => api.send(to, 'a'.repeat(1_100_000))],
      ['URI_TOO_LONG', () => api.get(`/v1/messages?${'a'.repeat(9_000)}`)],
      ['HEADERS_TOO_LARGE', () => api.get('/v1/messages', { 'x-long': 'a'.repeat(17_000) })],
    ];
    for (const [code, way] of ways) {
      const { status, body } = await way();
      expect([code, status, body?.error?.code]).toEqual([code, errorRegistry.get(code)?.status, code]);
    }
  });

  it('refuses the token of a line by a command: 403, DISCONNECTED, and connected again by a token', async () => {
    const digits = `1201555${2_000 + (Date.now() % 8_000)}`;
    const run = (line: string): Promise<number> => sim(dataDir, line.split(' '));
    expect(page).toContain('npm run sim -- add-line --line 12015550177 --token my-token');
    await run(`add-line --line ${digits} --token my-token`);
    const line = { phoneNumberId: `9${digits}`, businessAccountId: `8${digits}`, accessToken: 'my-token' };
    const connected = await owner.post('/app/api/channels', line);
    expect([connected.status, connected.body]).toMatchObject([201, { status: 'CONNECTED' }]);
    const messagingChannelId = connected.body?.id;
    const send = (): Promise<ApiAnswer> => api.send('+14155550181', 'Hello', { messagingChannelId });
    const state = async (): Promise<unknown> =>
      (await owner.get(`/app/api/channels/${String(messagingChannelId)}`)).body?.['status'];
    const patch = (): ReturnType<AppClient['ask']> =>
      owner.ask('PATCH', `/app/api/channels/${String(messagingChannelId)}`, { accessToken: 'my-token' });
    try {
      expect((await send()).status).toBe(200);
      await run(`refuse-token --line ${digits}`);
      const refused = await send();
      expect([refused.status, refused.body?.error?.code]).toEqual([403, 'UPSTREAM_NOT_CONNECTED']);
      await eventually(async () => (await state()) === 'DISCONNECTED', SOON);
      expect((await patch()).status).toBe(400);
      await run(`accept-token --line ${digits}`);
      expect([(await patch()).status, await state(), (await send()).status]).toEqual([200, 'CONNECTED', 200]);
    } finally {
      await owner.post(`/app/api/channels/${String(messagingChannelId)}/disconnect`, {});
    }
  });

  it('has a message read, late or never by the knobs, and its report made by hand', async () => {
    const settled = async (knobs: object, status: string): Promise<ApiBody> => {
      await all.simulator.put('knobs', knobs);
      const sent = await api.send('+14155550182', 'Hello');
      return messageWhen(sent.body?.id, (message) => message.status === status);
    };
    try {
      expect((await settled({ callbackDelayMs: { read: 100 } }, 'READ'))['deliveredAt']).not.toBeNull();
      await settled(
        { callbackDelayMs: { sent: 0, delivered: 20, read: 100 }, duplicateRate: 1, reorder: true },
        'READ',
      );
      const late = await settled({ callbackDelayMs: { delivered: null, read: null } }, 'SENT');
      const statuses = [{ reference: late.id, status: 'failed', errors: [{ code: 131049 }] }];
      await all.simulator.post('statuses', { statuses });
      const failed = await messageWhen(late.id, ({ status }) => status === 'FAILED');
      expect(failed.error?.code).toBe('131049');
      await all.simulator.put('knobs', { errorRate: { 131026: 1 } });
      const refused = await api.send('+14155550182', 'Hello');
      expect([refused.status, refused.headers.get('x-upstream-code')]).toEqual([400, '131026']);
    } finally {
      await all.simulator.put('knobs/reset', {});
    }
  });
});
