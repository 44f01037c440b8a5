import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** How long a point of a series is. */
export const granularities = ['hour', 'day'] as const;
/** One of `granularities`. */
export type Granularity = (typeof granularities)[number];

/** What a report covers. Source: docs/api-behaviour.md#analytics-range. */
export interface ReportSpan {
  /** Inclusive; rounded down to 15 minutes. */
  readonly from: IsoTime;
  /** Exclusive; rounded up to 15 minutes. */
  readonly to: IsoTime;
  /** How long a point of the series is. */
  readonly granularity: Granularity;
  /** IANA name of the zone whose hours and days the points are. */
  readonly timezone: string;
}

/** Percentiles of a time, in seconds, each within `relativeError` of the true value; null where nothing was measured. */
export interface Percentiles {
  /** Half of the messages took no longer; null where nothing was measured. */
  readonly p50: number | null;
  /** 95 of 100 messages took no longer; null where nothing was measured. */
  readonly p95: number | null;
  /** Largest error, as a part of the value: 0.02 is 2 %. */
  readonly relativeError: number;
}

/** How many messages failed with a code. */
export interface FailureCount {
  /** Of the upstream, or one of ours. */
  readonly code: string;
  /** Messages that failed with the code. */
  readonly count: Int;
}

/** What became of outbound messages, by the time they were created. Source: docs/api-behaviour.md#analytics-reports. */
export interface DeliveryFigures {
  /** Outbound messages that were accepted. */
  readonly accepted: Int;
  /** Messages that reached this stage, whatever came later. */
  readonly sent: Int;
  /** Messages that reached the recipient's device. */
  readonly delivered: Int;
  /** Messages that the recipient opened. */
  readonly read: Int;
  /** Messages whose status is FAILED now. */
  readonly failed: Int;
  /** Delivered messages of those sent, 0 to 1; null where none was sent. */
  readonly deliveryRate: number | null;
  /** Read messages of those delivered. */
  readonly readRate: number | null;
  /** Failed messages of those accepted. */
  readonly failureRate: number | null;
  /** From `sentAt` to `deliveredAt`. */
  readonly secondsToDelivered: Percentiles;
  /** From `sentAt` to `readAt`. */
  readonly secondsToRead: Percentiles;
  /** Of `failed`, most frequent first. */
  readonly failuresByCode: readonly FailureCount[];
}

/** The figures of a point. */
export interface DeliveryPoint extends DeliveryFigures {
  /** The first begins at `from`. */
  readonly start: IsoTime;
}

/** What `GET /v1/analytics/delivery` answers. */
export interface DeliveryReport extends ReportSpan {
  /** The figures of the whole range. */
  readonly totals: DeliveryFigures;
  /** Every point of the range, empty ones too. */
  readonly series: readonly DeliveryPoint[];
}

/** What became of messages made from templates. */
export interface TemplateCounts {
  /** Messages that the provider accepted. */
  readonly sent: Int;
  /** Messages that reached the recipient's device. */
  readonly delivered: Int;
  /** Messages that the recipient opened. */
  readonly read: Int;
  /** Messages after which the contact wrote within 72 hours, before the next template was sent to it. */
  readonly replied: Int;
  /** Messages after which the contact opted out within 72 hours, before the next template was sent to it. */
  readonly optedOut: Int;
}

/** The counts of one template. */
export interface TemplateUse extends TemplateCounts {
  /** The id of the template. */
  readonly templateId: Cuid;
  /** The name of the template. */
  readonly name: string;
  /** The language of the template. */
  readonly language: string;
}

/** The counts of all templates, and of each that was sent, most sent first. */
export interface TemplateFigures extends TemplateCounts {
  /** The counts of each template that was sent, most sent first. */
  readonly templates: readonly TemplateUse[];
}

/** The figures of a point. */
export interface TemplatePoint extends TemplateFigures {
  /** The first begins at `from`. */
  readonly start: IsoTime;
}

/** What `GET /v1/analytics/templates` answers. */
export interface TemplateReport extends ReportSpan {
  /** The figures of the whole range. */
  readonly totals: TemplateFigures;
  /** Every point of the range, empty ones too. */
  readonly series: readonly TemplatePoint[];
}

/** Requests to an endpoint that were answered with a class of status. */
export interface EndpointUse {
  /** Method and route, as `POST /v1/messages`. */
  readonly endpoint: string;
  /** `2xx`, `4xx`, … */
  readonly statusClass: string;
  /** How many requests were answered so. */
  readonly requests: Int;
}

/** What was asked of the API, and what went in and out. */
export interface UsageFigures {
  /** Requests with a key. */
  readonly requests: Int;
  /** The same by endpoint and class of status. */
  readonly requestsByEndpoint: readonly EndpointUse[];
  /** Inbound messages. */
  readonly messagesIn: Int;
  /** Outbound messages that were accepted. */
  readonly messagesOut: Int;
}

/** The quota of the present UTC month. */
export interface QuotaFigures {
  /** `2026-11`. */
  readonly month: string;
  /** Messages that count in the month. */
  readonly used: Int;
  /** Null: unlimited. */
  readonly limit: Int | null;
  /** Messages that may still be sent in the month; null: unlimited. */
  readonly left: Int | null;
}

/** The figures of a point. */
export interface UsagePoint extends UsageFigures {
  /** The first begins at `from`. */
  readonly start: IsoTime;
}

/** What `GET /v1/analytics/usage` answers. */
export interface UsageReport extends ReportSpan {
  /** The figures of the whole range. */
  readonly totals: UsageFigures;
  /** Every point of the range, empty ones too. */
  readonly series: readonly UsagePoint[];
  /** The quota of the present UTC month, whatever the report's range. */
  readonly quota: QuotaFigures;
}
