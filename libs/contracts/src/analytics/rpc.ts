import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { DeliveryReport, Granularity, ReportSpan, TemplateReport, UsageFigures, UsagePoint } from './http.js';

/** What a report is asked for; null stands for the default. */
export interface ReportRequest {
  /** A date, or a date and time, as the caller wrote it: a date alone is that day in `timezone`. */
  readonly from: string | null;
  readonly to: string | null;
  readonly granularity: Granularity;
  /** A zone of the IANA database. */
  readonly timezone: string;
  /** Null: every channel. */
  readonly messagingChannelId: Cuid | null;
}

/** A usage report without the quota, which is messaging's. */
export interface MeasuredUsage extends ReportSpan {
  readonly totals: UsageFigures;
  readonly series: readonly UsagePoint[];
}

/** A thousand points, each with every template, endpoint or code that counts in it, are more than a message of the broker. */
const OPTIONS = { deadlineMs: 5_000, inParts: true } as const;

/** What became of the organization's messages. @throws VALIDATION_FAILED for a range that is none, or too long */
export const deliveryReportRpc = defineRpc<ReportRequest, DeliveryReport>('analytics', 'get-delivery', OPTIONS);
/** What became of the organization's template messages. @throws as `deliveryReportRpc` */
export const templateReportRpc = defineRpc<ReportRequest, TemplateReport>('analytics', 'get-templates', OPTIONS);
/** Requests of the organization, and its messages. @throws as `deliveryReportRpc` */
export const usageReportRpc = defineRpc<ReportRequest, MeasuredUsage>('analytics', 'get-usage', OPTIONS);
