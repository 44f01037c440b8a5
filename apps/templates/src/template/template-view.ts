import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type {
  ParameterFormat,
  TemplateComponent,
  TemplateStatus,
  TemplateView,
} from '@switchboard/contracts/templates/http';
import { variablesOf } from './template-places.policy.js';

/** A template as `viewColumns` reads it. */
export interface TemplateRow {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly businessAccountId: string;
  readonly messagingChannelId: string;
  readonly upstreamTemplateId: string;
  readonly category: string;
  readonly components: readonly TemplateComponent[];
  readonly parameterFormat: ParameterFormat;
  readonly updatedAt: Date;
}

/** Columns of a `TemplateRow`, of a template `t` and the default channel `c` of its account. */
export const viewColumns = `t.id, t.name, t.language, t.status, t.business_account_id AS "businessAccountId",
  c.id AS "messagingChannelId", t.upstream_template_id AS "upstreamTemplateId", t.category, t.components,
  t.parameter_format AS "parameterFormat", t.updated_at AS "updatedAt"`;

/** Joins the default channel of the account, else its oldest one, by the index `channel_account`. */
export const joinChannel = `CROSS JOIN LATERAL (SELECT a.id FROM channel a
  WHERE a.organization_id = t.organization_id AND a.business_account_id = t.business_account_id
  ORDER BY a.is_default DESC, a.id LIMIT 1) c`;

/** The one shape of a template in the API and in events. Source: docs/api-behaviour.md#templates-fields. */
export function templateView({ updatedAt, ...row }: TemplateRow): TemplateView {
  return {
    ...row,
    source: 'upstream',
    variables: variablesOf(row.components, row.parameterFormat),
    createdAt: cuidTime(row.id).toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
