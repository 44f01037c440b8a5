import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { templatesErrors } from '@switchboard/contracts/templates/errors';
import type { TemplateView } from '@switchboard/contracts/templates/http';
import { getTemplateRpc } from '@switchboard/contracts/templates/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { TemplateRepository } from '../template/template.repository.js';
import { templateView } from '../template/template-view.js';

/** Answers `rpc.templates.get-template`. */
@Controller()
export class GetTemplateHandler {
  constructor(private readonly templates: TemplateRepository) {}

  /** @throws TEMPLATE_NOT_FOUND for another organization's template too */
  @RpcHandler(getTemplateRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<TemplateView> {
    const row = await this.templates.find(principal.organizationId, request.id);
    if (!row) throw new AppError(templatesErrors.TEMPLATE_NOT_FOUND);
    return templateView(row);
  }
}
