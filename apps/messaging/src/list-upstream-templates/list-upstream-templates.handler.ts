import { Controller } from '@nestjs/common';
import { listUpstreamTemplatesRpc, type UpstreamTemplatePage } from '@switchboard/contracts/messaging/template-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ListUpstreamTemplates } from './list-upstream-templates.js';

/** Answers `rpc.messaging.list-upstream-templates`. */
@Controller()
export class ListUpstreamTemplatesHandler {
  constructor(private readonly templates: ListUpstreamTemplates) {}

  /** @throws CHANNEL_NOT_FOUND; UPSTREAM_NOT_CONNECTED; UPSTREAM_REJECTED; SERVICE_UNAVAILABLE */
  @RpcHandler(listUpstreamTemplatesRpc)
  async list({
    principal,
    request,
    budget,
  }: RpcCall<{ readonly businessAccountId: string; readonly after: string | null }>): Promise<UpstreamTemplatePage> {
    return this.templates.execute(principal.organizationId, request, budget.signal);
  }
}
