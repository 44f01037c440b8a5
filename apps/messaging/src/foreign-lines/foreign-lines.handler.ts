import { Controller } from '@nestjs/common';
import { foreignLinesRpc, type UpstreamLines } from '@switchboard/contracts/messaging/line-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ForeignLineReader } from '../channel/foreign-lines.js';

/** Answers `rpc.messaging.foreign-lines`. */
@Controller()
export class ForeignLinesHandler {
  constructor(private readonly lines: ForeignLineReader) {}

  @RpcHandler(foreignLinesRpc)
  async among({ principal, request }: RpcCall<UpstreamLines>): Promise<UpstreamLines> {
    return this.lines.among(principal.organizationId, request);
  }
}
