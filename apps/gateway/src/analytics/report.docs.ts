import type { RouteDocs } from '../http/route-docs.js';
import { ReportQuery } from './report.query.js';

const RANGE =
  'Messages are counted by their `createdAt`, in buckets of 15 minutes. At most 1,000 points; empty ones are shown. What comes ' +
  'late or twice is corrected: figures equal what the messages themselves add up to, within seconds.';
const common = { tag: 'Analytics', query: ReportQuery } as const;

type Docs = RouteDocs<'Analytics'>;

/** What the report of usage takes and answers, in either API. */
export const usageDocs: Docs = {
  ...common,
  operationId: 'getUsage',
  summary: 'Report usage',
  description: `Requests with a key of the organization, by endpoint and class of status, messages in and out, and the quota. ${RANGE}`,
  answers: { 200: { description: 'The usage.', body: 'UsageReport' } },
};

/** What the report of delivery takes and answers, in either API. */
export const deliveryDocs: Docs = {
  ...common,
  operationId: 'getDelivery',
  summary: 'Report delivery',
  description: `Stages reached, failures by code, and how long delivery and reading took. ${RANGE}`,
  answers: { 200: { description: 'The figures.', body: 'DeliveryReport' } },
};

/** What the report of templates takes and answers, in either API. */
export const templateUseDocs: Docs = {
  ...common,
  operationId: 'getTemplateUse',
  summary: 'Report templates',
  description:
    'By template. A reply or an opt-out within 72 hours counts for the last template that was sent to the contact on the ' +
    `channel before. A report of more than 32 MiB is refused: ask for fewer points then. ${RANGE}`,
  answers: { 200: { description: 'The figures.', body: 'TemplateReport' } },
};

/** The same, where a spreadsheet may ask for it. */
export function withCsv(docs: Docs): Docs {
  const description = `${docs.description}\n\nWith \`Accept: text/csv\` the points come as CSV, a row each.`;
  return { ...docs, description };
}
