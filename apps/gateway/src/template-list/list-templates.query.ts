import { IsIn } from 'class-validator';
import { templateStatuses, type TemplateStatus } from '@switchboard/contracts/templates/http';
import type { ListTemplatesRequest } from '@switchboard/contracts/templates/rpc';
import { About } from '../http/input/field-description.js';
import { PageQuery, pageOf } from '../http/input/page.query.js';
import { CodePoints, IsCuid, MayBeOmitted } from '../http/input/text.decorator.js';

/** The query of `GET /v1/templates` and of its twin under /app/api. Source: docs/api-behaviour.md#templates-list. */
export class ListTemplatesQuery extends PageQuery {
  @About('Only templates with this status.')
  @MayBeOmitted()
  @IsIn(templateStatuses)
  status: TemplateStatus | undefined;

  @About('Only templates of this business account.')
  @MayBeOmitted()
  @CodePoints(1, 128)
  businessAccountId: string | undefined;

  @About('A part of the name, in any case; taken literally.')
  @MayBeOmitted()
  @CodePoints(1, 200)
  search: string | undefined;

  @About('Only templates that this channel can send: those of its business account.')
  @MayBeOmitted()
  @IsCuid()
  messagingChannelId: string | undefined;

  @About('Only templates in this language, such as `en_US`.')
  @MayBeOmitted()
  @CodePoints(1, 30)
  language: string | undefined;
}

/** The page that a query asks for, as the templates service takes it. */
export function templatesPageOf(query: ListTemplatesQuery): ListTemplatesRequest {
  const { status = null, businessAccountId = null, search = null, messagingChannelId = null, language = null } = query;
  return { ...pageOf(query), status, businessAccountId, search, messagingChannelId, language };
}
