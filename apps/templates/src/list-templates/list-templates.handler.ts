import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { TemplateView } from '@switchboard/contracts/templates/http';
import { listTemplatesRpc, type ListTemplatesRequest } from '@switchboard/contracts/templates/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { countWithin, keysetPage } from '@switchboard/postgres';
import { TemplateRepository } from '../template/template.repository.js';
import { templateView } from '../template/template-view.js';

/** A message of the broker holds 1 MiB; a hundred templates of many buttons are more. */
const ANSWER_BYTES_MAX = 700_000;

/** Answers `rpc.templates.list-templates`. */
@Controller()
export class ListTemplatesHandler {
  constructor(private readonly templates: TemplateRepository) {}

  @RpcHandler(listTemplatesRpc)
  async list({ principal, request }: RpcCall<ListTemplatesRequest>): Promise<Page<TemplateView>> {
    const rows = await this.templates.list(principal.organizationId, request, request.limit + 1);
    const views = rows.map(templateView);
    const fitting = Math.min(request.limit, countWithin(ANSWER_BYTES_MAX, views));
    return keysetPage(
      views,
      fitting,
      ({ id }) => id,
      (view) => view,
    );
  }
}
