import type {
  DeliveryFigures,
  DeliveryReport,
  TemplateFigures,
  TemplateReport,
  UsageFigures,
  UsageReport,
} from '@switchboard/contracts/analytics/http';
import { exampleIds } from './example-values.js';

const span = {
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-02T00:00:00.000Z',
  granularity: 'day',
  timezone: 'UTC',
} as const;
const start = span.from;

const delivery: DeliveryFigures = {
  accepted: 1_000,
  sent: 990,
  delivered: 960,
  read: 720,
  failed: 25,
  deliveryRate: 0.9697,
  readRate: 0.75,
  failureRate: 0.025,
  secondsToDelivered: { p50: 1.82, p95: 6.4, relativeError: 0.02 },
  secondsToRead: { p50: 214.5, p95: 5_310, relativeError: 0.02 },
  failuresByCode: [
    { code: '131026', count: 21 },
    { code: '131049', count: 4 },
  ],
};

const templateCounts = { sent: 400, delivered: 391, read: 305, replied: 42, optedOut: 3 };
const templates: TemplateFigures = {
  ...templateCounts,
  templates: [{ templateId: exampleIds.template, name: 'order_shipped', language: 'en_US', ...templateCounts }],
};

const usage: UsageFigures = {
  requests: 1_204,
  requestsByEndpoint: [
    { endpoint: 'GET /v1/conversations', statusClass: '2xx', requests: 200 },
    { endpoint: 'POST /v1/messages', statusClass: '2xx', requests: 1_000 },
    { endpoint: 'POST /v1/messages', statusClass: '4xx', requests: 4 },
  ],
  messagesIn: 310,
  messagesOut: 1_000,
};

/** A day of an organization. */
export const deliveryReportExample: DeliveryReport = { ...span, totals: delivery, series: [{ start, ...delivery }] };
/** A day of one template. */
export const templateReportExample: TemplateReport = { ...span, totals: templates, series: [{ start, ...templates }] };
/** A day, and the month's quota. */
export const usageReportExample: UsageReport = {
  ...span,
  totals: usage,
  series: [{ start, ...usage }],
  quota: { month: '2026-03', used: 12_345, limit: 500_000, left: 487_655 },
};
