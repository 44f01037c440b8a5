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
  /** The part of the template that it fills. */
  readonly in: 'HEADER' | 'BODY' | 'BUTTON';
}

/** A header, body, footer or row of buttons, in the form of the upstream provider. */
export type TemplateComponent = Readonly<Record<string, unknown>>;

/** A message template in full; every field is always present. Source: docs/api-behaviour.md#templates-fields. */
export interface TemplateView {
  /** The id of the template. */
  readonly id: Cuid;
  /** Where the template comes from: always the upstream provider. */
  readonly source: 'upstream';
  /** The name of the template, unique with its language in the business account. */
  readonly name: string;
  /** The language of the template, `en_US` for example. */
  readonly language: string;
  /** The provider's verdict on it; only APPROVED templates are sent. */
  readonly status: TemplateStatus;
  /** The upstream provider's id of the business account that owns it. */
  readonly businessAccountId: string;
  /** The default channel of the account; each channel of the account can send the template. */
  readonly messagingChannelId: Cuid;
  /** The upstream provider's id of the template. */
  readonly upstreamTemplateId: string;
  /** As the upstream provider calls it: `MARKETING`, `UTILITY`, `AUTHENTICATION`. */
  readonly category: string;
  /** Header, body, footer and buttons, in the form of the upstream provider. */
  readonly components: readonly TemplateComponent[];
  /** Whether its variables are counted or named. */
  readonly parameterFormat: ParameterFormat;
  /** What a send must give values for, in this order: header, body, buttons. */
  readonly variables: readonly TemplateVariable[];
  /** When it was first seen at the provider. */
  readonly createdAt: IsoTime;
  /** When it last changed. */
  readonly updatedAt: IsoTime;
}
