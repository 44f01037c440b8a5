import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import { eventually } from '@switchboard/testing/eventually';
import { Api, type ApiAnswer } from './api.js';
import { sharedStack } from './shared-stack.js';
import { StackDatabase } from './stack-database.js';
import type { UsableStack } from './start-everything.js';

const PATH = '/v1/templates/send';
/** Of the simulator's own: approved, without variables. */
const template = { name: 'welcome', language: 'en_US' };
const DAY_MS = 86_400_000;
/** The machine may have other work. */
const SOON = { deadlineMs: 60_000 };

describe('bulk sends, through every process', () => {
  let all: UsableStack;
  let acme: Api;
  let phones = 0;

  beforeAll(async () => {
    all = await sharedStack();
    ({ acme } = all);
    // The templates of the channel's account are there once they were synchronised.
    await eventually(async () => (await send({ recipients: [{ to: nextPhone() }] })).status === 202, SOON);
  });

  const nextPhone = (): string => `+1415${6_100_000 + ++phones}`;
  const some = (count: number): { to: string }[] => Array.from({ length: count }, () => ({ to: nextPhone() }));
  const send = (more: object, headers: Record<string, string> = {}, api: Api = acme): Promise<ApiAnswer> =>
    api.ask('POST', PATH, JSON.stringify({ template, ...more }), headers);
  const accepted = async (more: object, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await send(more, headers);
    expect([answer.status, answer.body?.error]).toEqual([202, undefined]);
    expect(answer.headers.get('location')).toBe(`${PATH}/${answer.body?.id}`);
    return String(answer.body?.id);
  };
  const job = async (id: string): Promise<JobView> => (await acme.get(`${PATH}/${id}`)).body as unknown as JobView;
  const control = (id: string, action: string): Promise<ApiAnswer> => acme.ask('POST', `${PATH}/${id}/${action}`);
  const sumOf = ({ counts }: JobView): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const recipientsOf = async (id: string, query = ''): Promise<RecipientView[]> => {
    const found: RecipientView[] = [];
    for (let cursor = ''; ;) {
      const { body } = await acme.get(`${PATH}/${id}/recipients?limit=100${query}${cursor}`);
      found.push(...(body?.items as unknown as RecipientView[]));
      if (!body?.nextCursor) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };

  it('sends to each subscriber once, skips who opted out, and its counts always sum to the total', async () => {
    const recipients = some(48).map((one, index) => ({ ...one, clientReference: `bulk-${index}` }));
    const [first, optedOut] = [recipients[0]?.to ?? '', recipients[7]?.to ?? ''];
    expect((await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone: optedOut }))).status).toBe(201);
    const again = first.replace(/^\+1(\d{3})(\d{3})/, '+1 ($1) $2-');
    const id = await accepted({ recipients: [...recipients, { to: again }, { to: '+12015550100' }] });
    const sums = new Set<number>();
    const done = await eventually(async () => {
      const now = await job(id);
      sums.add(sumOf(now));
      const isSettled = now.status === 'COMPLETED' && now.counts.sent === 0;
      if (!isSettled) throw new Error(`not settled: ${JSON.stringify(now)}`);
      return now;
    }, SOON);
    expect([...sums]).toEqual([50]);
    expect(done).toMatchObject({
      total: 50,
      counts: { delivered: 47, failed: 1, skipped: 2, queued: 0, unconfirmed: 0 },
    });
    expect(Date.parse(done.completedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(done.startedAt ?? ''));
    const listed = await recipientsOf(id);
    expect(listed.map(({ index }) => index)).toEqual([...Array(50).keys()]);
    expect(listed[7]).toMatchObject({ to: optedOut, status: 'SKIPPED', reason: 'OPTED_OUT', messageId: null });
    expect(listed[48]).toMatchObject({ to: first, status: 'SKIPPED', reason: 'DUPLICATE', messageId: null });
    expect(listed[49]).toMatchObject({ status: 'FAILED', reason: expect.any(String) });
    expect(await recipientsOf(id, '&status=SKIPPED')).toEqual([listed[7], listed[48]]);
    const { body: message } = await acme.get(`/v1/messages/${listed[3]?.messageId}`);
    expect(message).toMatchObject({
      jobId: id,
      type: 'TEMPLATE',
      clientReference: 'bulk-3',
      template,
      status: 'DELIVERED',
    });
    const { body: jobs } = await acme.get(`${PATH}?limit=100`);
    expect(jobs?.items?.find((one) => one.id === id)).toEqual(done);
  });

  it('pauses, resumes and cancels, and says what is not possible', async () => {
    const id = await accepted({ recipients: some(30), throttlePerHour: 1_800 });
    await eventually(async () => (await job(id)).counts.queued < 30, SOON);
    expect((await control(id, 'pause')).body?.status).toBe('PAUSED');
    expect((await control(id, 'pause')).status).toBe(200);
    expect((await control(id, 'resume')).body?.status).toMatch(/^(QUEUED|RUNNING)$/);
    const canceled = await control(id, 'cancel');
    expect([canceled.status, canceled.body?.status]).toEqual([200, 'CANCELED']);
    expect((await control(id, 'cancel')).status).toBe(200);
    const impossible = await control(id, 'pause');
    expect([impossible.status, impossible.body?.error?.code]).toEqual([400, 'INVALID_TRANSITION']);
    const now = await job(id);
    expect([now.counts.queued, sumOf(now)]).toEqual([0, 30]);
    const skipped = await eventually(async () => {
      const found = await recipientsOf(id, '&status=SKIPPED');
      return found.length === now.counts.skipped ? found : undefined;
    }, SOON);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(new Set(['JOB_CANCELED']));
    const missing = await control(newCuid(), 'cancel');
    expect([missing.status, missing.body?.error?.code]).toEqual([404, 'JOB_NOT_FOUND']);
  });

  it('waits for its time, which is neither past nor far away', async () => {
    const at = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
    const id = await accepted({ recipients: some(2), scheduledAt: at(34) });
    expect(await job(id)).toMatchObject({ status: 'SCHEDULED', startedAt: null, counts: { queued: 2 } });
    expect((await control(id, 'cancel')).body?.status).toBe('CANCELED');
    for (const scheduledAt of [at(-1), at(36)]) {
      const refused = await send({ recipients: some(1), scheduledAt });
      expect([refused.status, refused.body?.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it('fails recipients whose template was edited since, without a message', async () => {
    const edited = { name: 'order_confirmation', language: 'en_US' };
    const recipients = some(2).map((one) => ({ ...one, variables: ['Ada', 'today'] }));
    const scheduledAt = new Date(Date.now() + DAY_MS).toISOString();
    const id = await accepted({ template: edited, recipients, scheduledAt });
    const database = await StackDatabase.open(all.stack);
    await database.query(
      `UPDATE templates.template t SET components = '[{"type":"BODY","text":"{{1}}, {{2}} and {{3}}"}]'
       FROM templates.job j WHERE j.id = $1 AND t.organization_id = j.organization_id AND t.id = j.template_id`,
      [id],
    );
    await database.query('UPDATE templates.job_feed SET due_at = now() WHERE job_id = $1', [id]);
    await database.close();
    const done = await eventually(async () => {
      const now = await job(id);
      return now.status === 'COMPLETED' ? now : undefined;
    }, SOON);
    expect(done.counts).toMatchObject({ failed: 2, sent: 0, skipped: 0 });
    const shown = (await recipientsOf(id)).map(({ reason, messageId }) => [reason, messageId]);
    expect(shown).toEqual(Array(2).fill(['TEMPLATE_VARIABLES_MISMATCH', null]));
  });

  it('makes one job of twins, by the body or by a key, and says when a body differs', async () => {
    const body = { recipients: some(20), scheduledAt: new Date(Date.now() + DAY_MS).toISOString() };
    const key = { 'idempotency-key': `twins-${newCuid()}` };
    for (const headers of [{}, key]) {
      const twins = await Promise.all(Array.from({ length: 40 }, () => send(body, headers)));
      expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(twins.map((twin) => twin.body?.id)).size).toBe(1);
      expect(twins.filter((twin) => twin.headers.has('idempotent-replayed'))).toHaveLength(39);
      expect(twins.filter((twin) => twin.headers.has('idempotency-mismatch'))).toEqual([]);
    }
    const other = await send({ ...body, recipients: [...body.recipients].reverse() }, key);
    expect([other.status, other.headers.get('idempotency-mismatch')]).toEqual([202, 'true']);
    expect(await job(String(other.body?.id))).toMatchObject({ status: 'SCHEDULED', total: 20 });
    await control(String(other.body?.id), 'cancel');
  });

  it('refuses a batch for one bad recipient, and leaves nothing of it', async () => {
    const before = (await acme.get(PATH)).text;
    const recipients: { to: string; variables?: string[] }[] = some(1_200);
    recipients[700] = { to: 'no number' };
    const noNumber = await send({ recipients });
    expect([noNumber.status, noNumber.body?.error?.code]).toEqual([400, 'INVALID_PHONE']);
    expect(noNumber.body?.error?.message).toContain('700');
    recipients[700] = { to: nextPhone(), variables: ['one too many'] };
    const tooMany = await send({ recipients });
    expect([tooMany.status, tooMany.body?.error?.code]).toEqual([400, 'TEMPLATE_VARIABLES_MISMATCH']);
    const unknown = await send({ recipients: some(1), template: { name: 'nothing', language: 'en_US' } });
    expect([unknown.status, unknown.body?.error?.code]).toEqual([404, 'TEMPLATE_NOT_FOUND']);
    const paused = await send({ recipients: some(1), template: { name: 'back_in_stock', language: 'en_US' } });
    expect([paused.status, paused.body?.error?.code]).toEqual([400, 'TEMPLATE_NOT_APPROVED']);
    expect((await acme.get(PATH)).text).toBe(before);
  });

  it('stores a large batch whole before it answers', async () => {
    const recipients = some(12_000).map((one) => ({ ...one, metadata: { note: 'x'.repeat(80) } }));
    const id = await accepted({ recipients, scheduledAt: new Date(Date.now() + DAY_MS).toISOString() });
    expect(await job(id)).toMatchObject({ total: 12_000, counts: { queued: 12_000 } });
    const page = await acme.get(`${PATH}/${id}/recipients?limit=100`);
    expect(page.body?.items?.map(({ to }) => to)).toEqual(recipients.slice(0, 100).map(({ to }) => to));
    expect((await control(id, 'cancel')).body).toMatchObject({
      status: 'CANCELED',
      counts: { queued: 0, skipped: 12_000 },
    });
  });

  it('asks for the plan before the body, and is for the organization alone', async () => {
    const database = await StackDatabase.open(all.stack);
    const organizationId = newCuid();
    await database.query(
      `INSERT INTO gateway.organization (id, name, plan, subscription_status) VALUES ($1, 'Trial', 'TRIAL', 'ACTIVE')`,
      [organizationId],
    );
    const trial = new Api(all.baseUrl, await database.issueKey(organizationId, ['templates:send', 'templates:read']));
    await database.close();
    const refused = await trial.ask('POST', PATH, '{ not even JSON');
    expect([refused.status, refused.body?.error?.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    const { body } = await acme.get(PATH);
    const foreign = await all.globex.get(`${PATH}/${body?.items?.[0]?.id}`);
    expect([foreign.status, foreign.body?.error?.code]).toEqual([404, 'JOB_NOT_FOUND']);
  });
});
