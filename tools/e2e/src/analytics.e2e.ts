import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeliveryReport, UsageReport } from '@switchboard/contracts/analytics/http';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { eventually } from '@switchboard/testing/eventually';
import type { Api } from './api.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const SOON = { deadlineMs: 40_000 };

describe('analytics', () => {
  let stack: UsableStack;
  let acme: Api;

  beforeAll(async () => {
    stack = await sharedStack();
    ({ acme } = stack);
  });

  const report = async <Report>(name: string, query = ''): Promise<Report> => {
    const { status, body } = await acme.get(`/v1/analytics/${name}${query}`);
    expect(status).toBe(200);
    return body as unknown as Report;
  };

  async function everyMessage(): Promise<MessageView[]> {
    const messages: MessageView[] = [];
    for (let cursor = ''; ;) {
      const { body } = await acme.get(`/v1/messages?limit=100${cursor}`);
      messages.push(...((body?.items ?? []) as unknown as MessageView[]));
      if (body?.nextCursor === undefined) return messages;
      cursor = `&cursor=${body.nextCursor}`;
    }
  }

  it('add up to what the messages are, late corrections and failures included', async () => {
    const sent = await Promise.all(
      // Two that arrive, one refused, one that fails later, one whose statuses come reversed and twice.
      ['+14155550151', '+14155550152', '+12015550100', '+12015550110', '+12015550112'].map((to) =>
        acme.send(to, 'hello'),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200]);
    await stack.simulator.post('inbound', { from: '14155550151', text: 'hi' });

    await eventually(async () => {
      const [{ totals, series }, messages] = [await report<DeliveryReport>('delivery'), await everyMessage()];
      const outbound = messages.filter(({ direction }) => direction === 'OUTBOUND');
      const is = (...statuses: string[]): number => outbound.filter(({ status }) => statuses.includes(status)).length;
      const own = new Set(sent.map(({ body }) => body?.id));
      const isOpen = outbound.some(({ id, status }) => own.has(id) && (status === 'QUEUED' || status === 'SENT'));
      if (isOpen || is('FAILED') < 2 || is('READ') === 0) return undefined;
      const expected = {
        accepted: outbound.length,
        sent: outbound.filter(({ sentAt }) => sentAt !== null).length,
        delivered: is('DELIVERED', 'READ'),
        read: is('READ'),
        failed: is('FAILED'),
      };
      const differs = Object.entries(expected).some(([name, count]) => totals[name as keyof typeof expected] !== count);
      if (differs) throw new Error(`${JSON.stringify(totals)} is not ${JSON.stringify(expected)}`);
      const codes = totals.failuresByCode.map(({ code }) => code);
      expect(codes).toEqual(expect.arrayContaining(['131026', '131049']));
      expect(totals.failuresByCode.reduce((sum, { count }) => sum + count, 0)).toBe(totals.failed);
      expect(series.reduce((sum, point) => sum + point.accepted, 0)).toBe(totals.accepted);
      expect(totals.secondsToRead.p50).toBeGreaterThan(0);
      return true;
    }, SOON);
  });

  it('count requests by endpoint, messages both ways, and the quota', async () => {
    await acme.get('/v1/messages/c0000000');
    const usage = await eventually(async () => {
      const found = await report<UsageReport>('usage');
      const has = (endpoint: string, statusClass: string): boolean =>
        found.totals.requestsByEndpoint.some((one) => one.endpoint === endpoint && one.statusClass === statusClass);
      const hasAll = has('POST /v1/messages', '2xx') && has('GET /v1/messages/:id', '4xx');
      return hasAll && found.totals.messagesIn > 0 ? found : undefined;
    }, SOON);
    expect(usage.quota.left).toBe((usage.quota.limit ?? 0) - usage.quota.used);
  });

  it.each([
    ['timezone=Mars/Olympus', '`timezone`'],
    ['timezone=%2B05:45', '`timezone`'],
    ['timezone=BST', '`timezone`'],
    ['timezone=Asia/Nowhere', '`timezone`'],
    ['from=2026-02-30', '`from`'],
    ['to=2026-13-01', '`to`'],
    ['to=2000-01-01&from=2026-01-01', '`from`'],
    ['granularity=week', '`granularity`'],
    ['from=yesterday', '`from`'],
    ['from=2026-03-02&to=2026-03-01', '`from`'],
    ['from=2000-01-01&granularity=hour', '`from`'],
  ])('refuse %s', async (query, named) => {
    const { status, body } = await acme.get(`/v1/analytics/delivery?${query}`);
    expect([status, body?.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body?.error?.message).toContain(named);
  });

  it.each([
    // Half of the zones' offsets are no whole hours; a day that changes them is longer or shorter.
    ['Asia/Kathmandu', '2026-03-01', '18:15', 24, 24],
    ['Australia/Eucla', '2026-03-01', '15:15', 24, 24],
    ['Pacific/Chatham', '2026-03-01', '10:15', 24, 24],
    ['Pacific/Chatham', '2026-04-05', '10:15', 25, 25],
    ['Europe/Berlin', '2026-03-29', '23:00', 23, 23],
    ['Europe/Berlin', '2026-10-25', '22:00', 25, 25],
    ['Australia/Lord_Howe', '2026-04-05', '13:00', 24.5, 25],
    ['Australia/Lord_Howe', '2026-10-04', '13:30', 23.5, 24],
    ['Japan', '2026-03-01', '15:00', 24, 24],
    ['Iran', '2026-03-01', '20:30', 24, 24],
    ['Cuba', '2026-03-08', '05:00', 23, 23],
    ['Cuba', '2026-11-01', '04:00', 25, 25],
    ['Turkey', '2026-03-29', '21:00', 24, 24],
  ])('show a day of %s, %s, from %s on, empty hours too', async (zone, day, begins, hours, points) => {
    const query = `?from=${day}&to=${day}&timezone=${zone}`;
    const daily = await report<DeliveryReport>('delivery', query);
    expect([daily.timezone, daily.from.slice(11, 16), daily.series.length]).toEqual([zone, begins, 1]);
    expect((Date.parse(daily.to) - Date.parse(daily.from)) / 3_600_000).toBe(hours);
    const hourly = await report<DeliveryReport>('delivery', `${query}&granularity=hour`);
    expect([hourly.from, hourly.to, hourly.series.length]).toEqual([daily.from, daily.to, points]);
    expect(hourly.series[1]).toMatchObject({ accepted: 0, deliveryRate: null });
    expect(
      hourly.series.every(({ start }, index) => index === 0 || start > (hourly.series[index - 1]?.start ?? '')),
    ).toBe(true);
  });
});
