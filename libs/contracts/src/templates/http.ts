import type { Cuid } from '../grammar/cuid.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** States of a template. Source: docs/api-behaviour.md#template-status. */
export const templateStatuses = ['DRAFT', 'PENDING', 'APPROVED', 'REJECTED', 'PAUSED', 'DISABLED'] as const;
/** One of `templateStatuses`. */
export type TemplateStatus = (typeof templateStatuses)[number];

/** Whether a template calls its variables by number or by name. Source: docs/api-behaviour.md#templates-fields. */
export type ParameterFormat = 'POSITIONAL' | 'NAMED';

/** A value that a send must give. */
export interface TemplateVariable {
  /** Positional ones are called by their number. */
  readonly name: string;
  readonly in: 'HEADER' | 'BODY' | 'BUTTON';
}

/** A header, body, footer or row of buttons, in the form of the upstream provider. */
export type TemplateComponent = Readonly<Record<string, unknown>>;

/** A message template in full; every field is always present. Source: docs/api-behaviour.md#templates-fields. */
export interface TemplateView {
  readonly id: Cuid;
  readonly source: 'upstream';
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly businessAccountId: string;
  /** The default channel of the account; each channel of the account can send the template. */
  readonly messagingChannelId: Cuid;
  readonly upstreamTemplateId: string;
  /** As the upstream provider calls it: `MARKETING`, `UTILITY`, `AUTHENTICATION`. */
  readonly category: string;
  /** Header, body, footer and buttons, in the form of the upstream provider. */
  readonly components: readonly TemplateComponent[];
  readonly parameterFormat: ParameterFormat;
  /** What a send must give values for, in this order: header, body, buttons. */
  readonly variables: readonly TemplateVariable[];
  readonly createdAt: IsoTime;
  readonly updatedAt: IsoTime;
}
