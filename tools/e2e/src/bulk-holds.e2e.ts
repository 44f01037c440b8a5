import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@switchboard/testing/eventually';
import type { ApiBody } from './api.js';
import { operator } from './operator.js';
import { sharedStack } from './shared-stack.js';

const SOON = { deadlineMs: 60_000 };
const PER_HOUR = 7_200;
const TOTAL = 4_000;

describe('a running bulk send', () => {
  let all: Awaited<ReturnType<typeof sharedStack>>;
  let job: string;

  const shown = async (): Promise<ApiBody> => (await all.acme.get(job)).body ?? {};
  const countsOf = (body: ApiBody): Readonly<Record<string, number>> => body['counts'] as Record<string, number>;
  const until = async (what: (body: ApiBody) => boolean): Promise<ApiBody> =>
    eventually(async () => {
      const body = await shown();
      expect(Object.values(countsOf(body)).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
      return what(body) ? body : undefined;
    }, SOON);
  const goesOn = async (): Promise<void> => {
    const { queued = 0 } = countsOf(await until(({ status }) => status === 'RUNNING'));
    await until((body) => (countsOf(body)['queued'] ?? 0) < queued);
  };

  beforeAll(async () => {
    all = await sharedStack();
    const [template] = (await all.acme.get('/v1/templates?status=APPROVED&search=welcome')).body?.items ?? [];
    const recipients = Array.from({ length: TOTAL }, (_, index) => ({ to: `+1415555${2_000 + index}` }));
    const body = { templateId: template?.id, recipients, throttlePerHour: PER_HOUR };
    const sent = await all.acme.ask('POST', '/v1/templates/send', JSON.stringify(body));
    expect(sent.status).toBe(202);
    job = `/v1/templates/send/${sent.body?.id}`;
    await goesOn();
  });

  afterAll(async () => {
    if (job) await all.acme.ask('POST', `${job}/cancel`);
  });

  it('estimates its end by its throttle', async () => {
    const body = await shown();
    const leftMs = Date.parse(String(body['estimatedCompletionAt'])) - Date.now();
    const expectedMs = ((countsOf(body)['queued'] ?? 0) / PER_HOUR) * 3_600_000;
    expect(leftMs / expectedMs).toBeGreaterThan(0.8);
    expect(leftMs / expectedMs).toBeLessThan(1.2);
  });

  it.each([
    ['SUBSCRIPTION', 'subscription set ID PAST_DUE', 'subscription set ID ACTIVE'],
    ['SUBSCRIPTION', 'plan set ID --plan STARTER', 'plan set ID --plan SCALE'],
    ['QUOTA', 'plan set ID --messages-per-month 5', 'plan set ID --messages-per-month 50000'],
  ])('is held with the reason %s, and goes on by itself', async (reason, begin, end) => {
    const id = all.stack.devJson.organizations?.[0]?.id ?? '';
    await operator(all.dataDir, begin.replace('ID', id));
    const held = await until(({ heldReason }) => heldReason === reason);
    expect(held).toMatchObject({ status: 'HELD', estimatedCompletionAt: null });
    for (const act of ['pause', 'resume']) {
      expect(await all.acme.ask('POST', `${job}/${act}`)).toMatchObject({ status: 200 });
    }
    await operator(all.dataDir, end.replace('ID', id));
    await goesOn();
  });

  it('is held while its template is paused, and goes on by itself', async () => {
    await all.simulator.post('template-status', { name: 'welcome', event: 'PAUSED' });
    await until(({ heldReason }) => heldReason === 'TEMPLATE_NOT_APPROVED');
    await all.simulator.post('template-status', { name: 'welcome', event: 'UNPAUSED' });
    await goesOn();
  });
});
