import { Controller } from '@nestjs/common';
import { getQuotaRpc, type QuotaUse } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { quotaUse } from '../quota/quota.repository.js';

/** Answers `rpc.messaging.get-quota`. */
@Controller()
export class GetQuotaHandler {
  constructor(private readonly database: Database) {}

  @RpcHandler(getQuotaRpc)
  async get({ principal }: RpcCall<Record<string, never>>): Promise<QuotaUse> {
    return quotaUse(this.database, principal.organizationId);
  }
}
