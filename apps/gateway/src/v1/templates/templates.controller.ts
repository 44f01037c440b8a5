import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import { templatesErrors } from '@switchboard/contracts/templates/errors';
import type { TemplateView } from '@switchboard/contracts/templates/http';
import { getTemplateRpc, listTemplatesRpc } from '@switchboard/contracts/templates/rpc';
import { RpcClient } from '@switchboard/nats';
import { Principal } from '../../http/request.decorator.js';
import { Declare, type SharedRoute } from '../../http/route-declaration.js';
import { ListTemplatesQuery, templatesPageOf } from '../../template-list/list-templates.query.js';
import { getTemplateDocs, listTemplatesDocs } from '../../template-list/template.docs.js';

const reading = { access: 'key-or-session', scope: 'templates:read', cost: 1 } as const satisfies Partial<SharedRoute>;

/** `/v1/templates`, and `/app/api/templates` for every member. Source: docs/api-behaviour.md#templates. */
@Controller(['v1/templates', 'app/api/templates'])
export class TemplatesController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({ ...reading, errors: [], docs: listTemplatesDocs })
  list(@Principal() principal: Principal, @Query() query: ListTemplatesQuery): Promise<Page<TemplateView>> {
    return this.rpc.call(listTemplatesRpc, principal, templatesPageOf(query));
  }

  @Get(':id')
  @Declare({ ...reading, errors: [templatesErrors.TEMPLATE_NOT_FOUND], docs: getTemplateDocs })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<TemplateView> {
    return this.rpc.call(getTemplateRpc, principal, { id });
  }
}
