import { Controller } from '@nestjs/common';
import type { RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { applySuppressionsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ApplySuppressions } from './apply-suppressions.js';

type Rpc = typeof applySuppressionsRpc;

/** Answers `rpc.messaging.apply-suppressions`. */
@Controller()
export class ApplySuppressionsHandler {
  constructor(private readonly suppressions: ApplySuppressions) {}

  /** @throws SERVICE_UNAVAILABLE */
  @RpcHandler(applySuppressionsRpc)
  async apply({ principal, request, budget }: RpcCall<RpcRequestOf<Rpc>>): Promise<RpcResponseOf<Rpc>> {
    await this.suppressions.execute(principal.organizationId, request, budget.signal);
    return {};
  }
}
