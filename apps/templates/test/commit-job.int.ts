import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { quotaMonthOf } from '../src/commit-job/store-job.js';
import { PruneStagingWorker } from '../src/prune-staging/prune-staging.worker.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

beforeAll(async () => {
  store = await JobStore.open(servers);
});

describe('a batch', () => {
  it('that fits into one chunk becomes a job, duplicates and aliases skipped', async () => {
    const twice = recipient();
    const request = store.batch([
      twice,
      recipient({ to: '(201) 555-0123', phone: null, clientReference: 'order 7', metadata: { a: 'b' } }),
      twice,
      recipient({ to: '+1 201 555 0123', phone: { e164: '+12015550123', subscriber: '+12015550123' } }),
    ]);
    const { job, isReplay } = await store.commit(request);
    expect({ ...job, isReplay }).toMatchObject({ id: request.jobId, status: 'QUEUED', total: 4, isReplay: false });
    expect(await store.recipients(job.id)).toEqual([
      { index: 0, to: twice.to, status: 'QUEUED', reason: null, messageId: null },
      { index: 1, to: '+12015550123', status: 'QUEUED', reason: null, messageId: null },
      { index: 2, to: twice.to, status: 'SKIPPED', reason: 'DUPLICATE', messageId: null },
      { index: 3, to: '+12015550123', status: 'SKIPPED', reason: 'DUPLICATE', messageId: null },
    ]);
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 2, skipped: 2 });
    expect(store.messaging.reserved.get(job.id)).toBe(2);
  });

  it('of many chunks, in any order and repeated, becomes the same job', async () => {
    const list = Array.from({ length: 1_250 }, () => recipient());
    list[700] = recipient({ to: list[3]?.to ?? '', phone: null });
    list[1_249] = { ...recipient(), phone: list[1]?.phone ?? null };
    const request = await store.stage(list);
    await store.stageChunk(request.jobId, 500, list.slice(500, 1_000));
    expect(await store.jobs.find(store.organizationId, request.jobId)).toBeNull();
    const { job } = await store.commit(request);
    const shown = await store.recipients(job.id);
    expect(shown.map(({ index }) => index)).toEqual(list.map((_, index) => index));
    expect(shown.filter(({ status }) => status === 'SKIPPED').map(({ index }) => index)).toEqual([700, 1_249]);
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 1_248, skipped: 2 });
    expect(await store.rows('SELECT FROM templates.staged_chunk WHERE job_id = $1', [job.id])).toEqual([]);
  });

  it('that was not committed is visible nowhere and is removed', async () => {
    const request = await store.stage(Array.from({ length: 600 }, () => recipient()));
    await expect(store.commit({ ...request, total: 601 })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await store.change(`UPDATE templates.staged_job SET created_at = now() - interval '1 hour' WHERE job_id = $1`, [
      request.jobId,
    ]);
    await store.change(`UPDATE templates.staged_chunk SET staged_at = now() - interval '1 hour' WHERE job_id = $1`, [
      request.jobId,
    ]);
    const pruner = new PruneStagingWorker(store.database, silent);
    while (await pruner.round());
    expect(await store.rows('SELECT FROM templates.recipient WHERE job_id = $1', [request.jobId])).toEqual([]);
    await expect(store.stageChunk(request.jobId, 0, [recipient()])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.commit(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('that lost its answer is answered again, without a second job', async () => {
    const request = store.batch(3);
    const first = await store.commit(request);
    expect(await store.commit(request)).toEqual(first);
    expect(await store.commit(request, store.replica())).toEqual(first);
  });
});

it('the messages of a job count in the month of its id, also when it is stored in the next one', () => {
  expect(quotaMonthOf(cuidFloor(new Date('2026-01-31T23:59:59.999Z')) + newCuid().slice(9))).toBe('2026-01');
});

describe('places for bodies that are read as streams', () => {
  it('are four, over all replicas, and free after a commit or when given up', async () => {
    const other = await JobStore.open(servers);
    const ids = ['cjob00001', 'cjob00002', 'cjob00003', 'cjob00004', 'cjob00005', 'cjob00006'];
    const begin = (id: string): Promise<boolean> => other.staged.begin(other.organizationId, id, 4);
    const admitted = await Promise.all(ids.map(begin));
    expect(admitted.filter(Boolean)).toHaveLength(4);
    const refused = ids.find((_, place) => admitted[place] === false) ?? '';
    const taken = ids.find((_, place) => admitted[place]) ?? '';
    expect(await begin(taken)).toBe(true);
    expect(await begin(refused)).toBe(false);
    expect(await other.staged.begin(other.organizationId, refused, null)).toBe(true);
    await other.staged.abandon(other.organizationId, taken);
    expect(await begin('cjob00007')).toBe(true);
    expect(await begin('cjob00008')).toBe(false);
  });
});

describe('a batch is refused', () => {
  it.each([
    ['CHANNEL_NOT_FOUND', { messagingChannelId: 'cnochannel' }],
    ['TEMPLATE_NOT_FOUND', { template: { id: 'cnotemplate' } }],
    ['TEMPLATE_NOT_FOUND', { template: { name: 'offer', language: 'de' } }],
    ['VALIDATION_FAILED', { scheduledAt: '2020-01-01T00:00:00.000Z' }],
    ['VALIDATION_FAILED', { scheduledAt: new Date(Date.now() + 36 * 86_400_000).toISOString() }],
  ])('with %s for %j', async (code, given) => {
    await expect(store.commit(store.batch(1, given))).rejects.toMatchObject({ code });
  });

  it('naming the first five faulty recipients, whatever is wrong with them', async () => {
    const list = Array.from({ length: 12 }, (_, index) =>
      recipient(index % 2 === 0 ? { to: 'nonsense', phone: null } : { variables: ['one'] }),
    );
    await expect(store.commit(store.batch(list))).rejects.toMatchObject({
      code: 'INVALID_PHONE',
      message: expect.stringMatching(
        /^`recipients\[0\]\.to` must be a phone .*`recipients\[1\]\.variables`.*\[2\]\.to.*\[3\].*\[4\]\.to.*; and more$/,
      ),
    });
  });

  it('naming the faulty variables of staged recipients', async () => {
    const list = Array.from({ length: 600 }, () => recipient());
    list[7] = recipient({ variables: ['one'] });
    list[599] = recipient({ variables: { name: 'x' } });
    const refusal = store.commit(await store.stage(list));
    await expect(refusal).rejects.toMatchObject({
      code: 'TEMPLATE_VARIABLES_MISMATCH',
      message: expect.stringMatching(/^`recipients\[7\]\.variables` .*; `recipients\[599\]\.variables` [^;]*$/),
    });
  });

  it('of a template that the provider takes no message of without more than texts', async () => {
    const other = await JobStore.open(servers);
    await other.change(
      `UPDATE templates.template SET components = (components::jsonb || '[{"type":"CAROUSEL"}]')::json`,
    );
    await expect(other.commit(other.batch(1))).rejects.toMatchObject({
      code: 'TEMPLATE_VARIABLES_MISMATCH',
      message: '`recipients[0].variables` cannot fit: the template has a carousel, and so cannot be sent',
    });
  });

  it('when quota is short, and frees its key, its quota and what was staged', async () => {
    store.messaging.quotaLeft = 1;
    const request = store.batch(3, { messagesPerMonth: 10 });
    await expect(store.commit(request)).rejects.toMatchObject({
      code: 'PAYMENT_REQUIRED',
      message: 'The batch needs 3 messages; 1 of the monthly quota of 10 is left',
    });
    store.messaging.quotaLeft = 1_000_000;
    expect(await store.isKeyFree(request.key)).toBe(true);
    store.messaging.quotaLeft = 1;
    const staged = { ...(await store.stage([recipient(), recipient()])), messagesPerMonth: 10 };
    await expect(store.commit(staged)).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' });
    store.messaging.quotaLeft = 1_000_000;
    expect(await isAbandoned(staged.jobId)).toBe(true);
  });

  it('while its template is not approved or its channel is not connected', async () => {
    const other = await JobStore.open(servers);
    await other.change(`UPDATE templates.template SET status = 'PAUSED'`);
    await expect(other.commit(other.batch(1))).rejects.toMatchObject({ code: 'TEMPLATE_NOT_APPROVED' });
    await other.change(`UPDATE templates.channel SET status = 'DISCONNECTED'`);
    await expect(other.commit(other.batch(1))).rejects.toMatchObject({ code: 'UPSTREAM_NOT_CONNECTED' });
    await other.change(`UPDATE templates.template SET business_account_id = '2044'`);
    await expect(other.commit(other.batch(1))).rejects.toMatchObject({ code: 'TEMPLATE_NOT_FOUND' });
  });
});

describe('a key', () => {
  it.each(['explicit', 'derived'] as const)('makes one job of 1,000 %s twins over two replicas', async (kind) => {
    const first = store.batch(2);
    const key = { ...first.key, kind };
    const replicas = [store.replica(), store.replica()];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, place) => {
        const twin = { ...store.batch(first.recipients ?? []), key, bodySha256: first.bodySha256 };
        return store.commit(twin, replicas[place % 2]);
      }),
    );
    expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1);
    expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
    expect(answers.filter(({ isMismatch }) => isMismatch)).toEqual([]);
  });

  it('answers another body with its first job, and says so', async () => {
    const request = store.batch(1);
    const { job } = await store.commit(request);
    expect(await store.commit({ ...store.batch(2), key: request.key })).toMatchObject({
      job: { id: job.id, total: 1 },
      isReplay: true,
      isMismatch: true,
    });
    const staged = await store.stage([recipient()]);
    expect(await store.commit({ ...staged, key: request.key })).toMatchObject({ job: { id: job.id }, isReplay: true });
    expect(await isAbandoned(staged.jobId)).toBe(true);
  });

  it('that is derived never meets an explicit one, answers a cancelled job, and ends after 10 minutes', async () => {
    const explicit = store.batch(1);
    const key = { kind: 'derived', sha256: explicit.key.sha256 } as const;
    await store.commit(explicit);
    const request = store.batch(1, { key });
    const { job } = await store.commit(request);
    expect(job.id).toBe(request.jobId);
    await store.act(job.id, 'cancel');
    const replay = await store.commit(store.batch(1, { key }));
    expect(replay).toMatchObject({ job: { id: job.id, status: 'CANCELED' }, isReplay: true, isMismatch: false });
    await store.change(`UPDATE templates.job_key SET until = until - interval '10 minutes' WHERE job_id = $1`, [
      job.id,
    ]);
    const later = store.batch(1, { key });
    expect((await store.commit(later)).job.id).toBe(later.jobId);
  });

  it('of a replica that died in mid-commit is free when its claim ends', async () => {
    const request = store.batch(1);
    const { kind, sha256 } = request.key;
    await store.change(
      `INSERT INTO templates.job_key VALUES ($1, $2, decode($3, 'hex'), decode($3, 'hex'), 'cdied', false, now())`,
      [store.organizationId, kind, sha256],
    );
    expect((await store.commit(request)).job.id).toBe(request.jobId);
  });
});

/** Whether a batch that was being staged is given up, so that its place is free. */
async function isAbandoned(jobId: string): Promise<boolean> {
  const sql = 'SELECT is_abandoned AS "isAbandoned" FROM templates.staged_job WHERE job_id = $1';
  return (await store.rows<{ isAbandoned: boolean }>(sql, [jobId]))[0]?.isAbandoned === true;
}
