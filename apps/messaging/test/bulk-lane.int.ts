import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cuidFloor, cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';
import { attemptsOf, LaneStore } from './lane-store.js';
import { contactOf, MessagingStore, messageOf, settlementOf, taken } from './messaging-store.js';
import { ContactRepository } from '../src/contact/contact.repository.js';
import { SETTLE_DEADLINE_MS } from '../src/dispatch/retry.policy.js';
import { claimRetries } from '../src/dispatch/retry-claim.repository.js';
import { abandonOverdue, lockExpired } from '../src/dispatch/dispatch.repository.js';

const servers = testServers();
const notTaken = (more: Partial<Extract<UpstreamOutcome, { state: 'not-taken' }>>): UpstreamOutcome => ({
  state: 'not-taken',
  code: '130429',
  message: 'no',
  retry: 'normal',
  ...more,
});

describe('lanes of bulk sends', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(() => lanes.forgetOthers());

  it('make messages of recipients in the order of their index, each once, with all of its parts', async () => {
    const job = lanes.job(await store.sender(3));
    expect(await lanes.submit(job)).toEqual({ accepted: 3, isWithdrawn: false });
    await lanes.submit(job);
    const attempts = attemptsOf(await lanes.claim(), job);
    await lanes.submit(job);
    expect(attempts.map(({ messageId }) => messageId)).toEqual(job.items.map(({ messageId }) => messageId));
    expect(await lanes.states(job)).toEqual({ BEGUN: 3 });
    const [first] = attempts;
    if (!first) throw new Error('nothing was claimed');
    expect(first).toMatchObject({
      template: { name: 'order_shipped', language: 'en_US' },
      attempts: 1,
      text: 'Hello Ada',
    });
    const { jobId } = job;
    expect(await store.message(first)).toMatchObject({ type: 'TEMPLATE', status: 'QUEUED', jobId, recipientIndex: 0 });
    await store.settle(...attempts.map((attempt) => settlementOf(attempt, taken(attempt))));
    const events = await store.events(job.sender.organizationId);
    const ofFirst = events.filter((event) => messageOf(event)?.id === first.messageId);
    expect(ofFirst.map(({ subject }) => subject)).toEqual([
      'messaging.message.accepted.v1',
      'messaging.message.sent.v1',
    ]);
    expect(ofFirst.map(({ data }) => data)).toMatchObject([{ recipientIndex: 0 }, { recipientIndex: 0 }]);
    expect(attemptsOf(await lanes.claim(), job)).toEqual([]);
  });

  it('give what a pause kept in the lane for long an id of its own time', async () => {
    const job = lanes.job(await store.sender(2));
    const [aged, fresh] = job.items;
    if (!aged || !fresh) throw new Error('too few recipients');
    const former = cuidFloor(new Date(Date.now() - 25 * 3_600_000)) + newCuid().slice(9);
    await lanes.submit(job, [{ ...aged, messageId: former }, fresh]);
    const [one, other] = attemptsOf(await lanes.claim(), job);
    if (!one || !other) throw new Error('too few were claimed');
    expect(other.messageId).toBe(fresh.messageId);
    expect(Date.now() - cuidTime(one.messageId).getTime()).toBeLessThan(60_000);
    // What becomes `sentAt` is not before `createdAt`.
    const { attemptedAt } = await store.message(one);
    expect(attemptedAt?.getTime()).toBeGreaterThanOrEqual(cuidTime(one.messageId).getTime());
    const ids = 'SELECT message_id AS id FROM messaging.bulk_item WHERE job_id = $1 ORDER BY recipient_index';
    expect(await lanes.run(ids, [job.jobId])).toEqual([{ id: one.messageId }, { id: fresh.messageId }]);
    // Within its 24 hours: the refusal is not its last.
    await store.settle(settlementOf(one, notTaken({})));
    expect(await store.database.transaction((tx) => lockExpired(tx, 100, SETTLE_DEADLINE_MS))).toEqual([]);
    await lanes.submit(job, [{ ...aged, messageId: former }]);
    expect(await lanes.states(job)).toEqual({ BEGUN: 2 });
  });

  it("keep a channel's rate, shared by its jobs in turns", async () => {
    const sender = await store.sender(40);
    await lanes.setRate(sender, 50);
    const [one, other] = [lanes.job(sender), lanes.job(sender)];
    await lanes.submit(one);
    await lanes.submit(other);
    const claim = await lanes.claim();
    const slots = claim.attempts.map(({ lane }) => lane.slotMs).toSorted((a, b) => a - b);
    // 0.4 s ahead, 20 ms from one to the next.
    expect(slots.length).toBe(21);
    expect(slots.every((slot, index) => index === 0 || slot - (slots[index - 1] ?? 0) >= 19.99)).toBe(true);
    expect(Math.abs(attemptsOf(claim, one).length - attemptsOf(claim, other).length)).toBeLessThanOrEqual(1);
    // The credit is used up, whenever the channel is looked at again.
    await lanes.postpone(sender);
    expect((await lanes.claim()).attempts).toEqual([]);
  });

  it('begin no attempt of a throttled job before its time, after any time that passed, and whoever claims', async () => {
    const job = lanes.job(await store.sender(30), 7_200);
    await lanes.submit(job);
    let passed = 0;
    for (const ms of [0, 499, 1, 3_000, 100, 500, 250, 60_000, 10]) {
      await lanes.letPass(ms);
      passed += ms;
      await lanes.claim(passed % 2 === 0 ? 'a process' : 'another');
    }
    const begun = await lanes.begun(job);
    expect(begun.length).toBeGreaterThanOrEqual(5);
    for (const [index, at] of begun.entries())
      if (index > 0) expect(at - (begun[index - 1] ?? 0)).toBeGreaterThanOrEqual(499.999);
    // No catching up: after a minute there is one slot, not 120.
    expect(begun.length).toBeLessThan(12);
  });

  it('take credit for repetitions, and leave what never began out of the record', async () => {
    const job = lanes.job(await store.sender(1), 60);
    await lanes.submit(job);
    const [first] = attemptsOf(await lanes.claim(), job);
    if (!first) throw new Error('nothing was claimed');
    await store.settle(settlementOf(first, notTaken({ retry: 'not-begun' })));
    expect(await lanes.begun(job)).toEqual([]);
    expect(await store.dispatches(first)).toMatchObject([{ state: 'PACED', attempts: 0 }]);
    await store.letTimePass(first);
    // Its slot is gone all the same.
    await lanes.look();
    expect(attemptsOf(await lanes.claim(), job)).toEqual([]);
    await lanes.letPass(60_000);
    const [second] = attemptsOf(await lanes.claim(), job);
    expect(second).toMatchObject({ messageId: first.messageId, attempts: 1, template: { name: 'order_shipped' } });
    if (!second) throw new Error('nothing was claimed');
    await store.settle(settlementOf(second, notTaken({ limit: 'pair', retry: 'pair' })));
    await lanes.letPass(70_000);
    await lanes.look();
    const [third] = attemptsOf(await lanes.claim(), job);
    expect(third).toMatchObject({ messageId: first.messageId, attempts: 2 });
    expect(await lanes.begun(job)).toHaveLength(2);
    if (third) await store.settle(settlementOf(third, taken(third)));
    expect(await store.message(first)).toMatchObject({ status: 'SENT' });
  });

  it('skip who has opted out, give the quota back once, and leave unknown contacts to be asked for', async () => {
    const sender = await store.sender(3);
    const job = lanes.job(sender);
    const [out] = sender.contacts;
    if (!out) throw new Error('no contact');
    const { contact } = contactOf(sender.organizationId, out.id, out.phone);
    const optOuts = [{ channelId: sender.channelId, source: 'API' as const }];
    const facts = { ...contact, version: 2, optOuts };
    await new ContactRepository(store.database).project([{ organizationId: sender.organizationId, contact: facts }]);
    const items = job.items.map((item, index) => (index === 2 ? { ...item, to: '+14155559999' } : item));
    await lanes.submit({ ...job, items });
    const claim = await lanes.claim();
    expect(attemptsOf(claim, job).map(({ messageId }) => messageId)).toEqual([job.items[1]?.messageId]);
    expect(await lanes.states(job)).toEqual({ BEGUN: 1, SKIPPED: 1, WAITING: 1 });
    const skipped = (await store.events(sender.organizationId)).filter(({ subject }) => subject.includes('bulk-item'));
    expect(skipped.map(({ data }) => data)).toMatchObject([
      { jobId: job.jobId, recipientIndex: 0, reason: 'OPTED_OUT' },
    ]);
  });

  it('stand still while paused or held, and for good once withdrawn, whenever batches come', async () => {
    const job = lanes.job(await store.sender(4));
    await lanes.submit(job, job.items.slice(0, 3));
    await lanes.control(job, 'PAUSE');
    expect(attemptsOf(await lanes.claim(), job)).toEqual([]);
    await lanes.control(job, 'HOLD', 'QUOTA');
    await lanes.control(job, 'RELEASE', 'SUBSCRIPTION');
    expect(await lanes.control(job, 'RESUME')).toMatchObject({ isWithdrawn: false });
    expect(attemptsOf(await lanes.claim('a process', 1), job)).toHaveLength(1);
    expect(await lanes.control(job, 'WITHDRAW')).toEqual({ begun: 1, withdrawn: [1, 2], isWithdrawn: true });
    for (const action of ['WITHDRAW', 'PAUSE', 'RESUME'] as const) {
      expect(await lanes.control(job, action)).toEqual({ begun: 1, withdrawn: [], isWithdrawn: true });
    }
    expect(await lanes.submit(job)).toEqual({ accepted: 0, isWithdrawn: true });
    expect(attemptsOf(await lanes.claim(), job)).toEqual([]);
    const events = await store.events(job.sender.organizationId);
    const of = (part: string) => events.filter(({ subject }) => subject.includes(part)).map(({ data }) => data);
    expect(of('bulk-item.skipped')).toMatchObject([
      { recipientIndex: 1, reason: 'JOB_CANCELED' },
      { recipientIndex: 2 },
    ]);
    expect(of('bulk-lane.held')).toMatchObject([{ jobId: job.jobId, reason: 'QUOTA' }]);
    expect(of('bulk-lane.released')).toMatchObject([{ jobId: job.jobId, reason: 'QUOTA' }]);
    const early = lanes.job(job.sender);
    await lanes.control(early, 'WITHDRAW');
    expect(await lanes.submit(early)).toEqual({ accepted: 0, isWithdrawn: true });
  });

  it('never begin what a withdrawal answered, when both come at once', async () => {
    const sender = await store.sender(30);
    await lanes.setRate(sender, 1_000);
    const jobs = Array.from({ length: 12 }, () => lanes.job(sender));
    await Promise.all(jobs.map((job) => lanes.submit(job)));
    const claims = Array.from({ length: 6 }, () => lanes.claim('a process', 60));
    const answers = await Promise.all(jobs.map((job) => lanes.control(job, 'WITHDRAW')));
    await Promise.all(claims);
    for (const [index, job] of jobs.entries()) {
      const { begun, withdrawn = [] } = answers[index] ?? {};
      expect(begun).toBe(30 - withdrawn.length);
      expect(await lanes.states(job)).toEqual({
        ...(begun ? { BEGUN: begun } : {}),
        ...(withdrawn.length > 0 ? { SKIPPED: withdrawn.length } : {}),
      });
    }
  });

  it('are held by what the upstream says of template, account and channel, and slowed by its limits', async () => {
    const cases = [
      [{ state: 'refused', kind: 'template-paused', code: '132015', message: 'm' }, 'TEMPLATE_NOT_APPROVED', 'PACED'],
      [
        { state: 'refused', kind: 'template-missing', code: '132001', message: 'm' },
        'TEMPLATE_NOT_APPROVED',
        undefined,
      ],
      [{ state: 'refused', kind: 'blocked', code: '131031', message: 'm' }, 'CHANNEL_BLOCKED', undefined],
      [notTaken({ limit: 'spam', retry: 'slow', code: '131048' }), 'SPAM_LIMIT', 'PACED'],
      [{ state: 'refused', kind: 'disconnected', code: '190', message: 'm' }, 'CHANNEL_DISCONNECTED', undefined],
    ] as const satisfies readonly (readonly [UpstreamOutcome, string, string | undefined])[];
    for (const [outcome, reason, state] of cases) {
      await lanes.forgetOthers();
      const job = lanes.job(await store.sender(2), 3_600_000 / 50);
      await lanes.submit(job);
      const [first] = attemptsOf(await lanes.claim('a process', 1), job);
      if (!first) throw new Error('nothing was claimed');
      await store.settle(settlementOf(first, outcome));
      await lanes.letPass(2_000);
      await lanes.look();
      expect(attemptsOf(await lanes.claim(), job)).toEqual([]);
      const events = await store.events(job.sender.organizationId);
      const held = events.filter(({ subject }) => subject === 'messaging.bulk-lane.held.v1');
      expect(held.map(({ data }) => data)).toMatchObject([{ jobId: job.jobId, reason }]);
      expect((await store.dispatches(first))[0]?.state).toBe(state);
      if ('kind' in outcome && outcome.kind === 'template-paused') {
        const refused = events.filter(({ subject }) => subject === 'messaging.template.refused.v1');
        await lanes.control(job, 'RELEASE', 'TEMPLATE_NOT_APPROVED');
        await lanes.look();
        expect(attemptsOf(await lanes.claim(), job).map(({ messageId }) => messageId)).toContain(first.messageId);
        expect(refused).toMatchObject([{ aggregateId: '1', data: { name: 'order_shipped', reason: 'PAUSED' } }]);
      }
    }
  });

  it('hold up no interactive send of the same conversation', async () => {
    const job = lanes.job(await store.sender(1));
    await lanes.submit(job);
    expect(attemptsOf(await lanes.claim(), job)).toHaveLength(1);
    const interactive = await store.attempt(job.sender);
    await store.settle(settlementOf(interactive, notTaken({})));
    await store.letTimePass(interactive);
    const bounds = { limit: 10, organizationMax: 10, underway: new Map<string, number>() };
    const claimed = await claimRetries(store.database, [], bounds, 'mine');
    expect(claimed.map(({ messageId }) => messageId)).toContain(interactive.messageId);
  });

  it('announce outcomes that are not known, and only those of jobs', async () => {
    // Of the hundreds that the tests before have begun, whose leases may be over too.
    await store.forgetDispatches();
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job);
    const [one, other] = attemptsOf(await lanes.claim(), job);
    if (!one || !other) throw new Error('not both were claimed');
    await store.settle(settlementOf(one, { state: 'unknown', reason: 'no answer' }));
    await store.letTimePass(other);
    await abandonOverdue(store.database, 200, 1_000);
    const events = await store.events(job.sender.organizationId);
    const unknown = events.filter(({ subject }) => subject === 'messaging.message.outcome-unknown.v1');
    expect(unknown.map(({ data }) => data)).toEqual([
      { jobId: job.jobId, recipientIndex: 0, messageId: one.messageId },
      { jobId: job.jobId, recipientIndex: 1, messageId: other.messageId },
    ]);
  });
});
