import { Controller } from '@nestjs/common';
import {
  reserveQuotaRpc,
  type ReservedQuota,
  type ReserveQuotaRequest,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, type Transaction } from '@switchboard/postgres';
import { reserve } from '../quota/quota-reservation.repository.js';

/** Undoes what a refused reservation had written. */
class Refused extends Error {
  constructor(readonly used: number) {
    super('the quota does not hold the reservation');
  }
}

/** Answers `rpc.messaging.reserve-quota`. */
@Controller()
export class ReserveQuotaHandler {
  constructor(private readonly database: Database) {}

  @RpcHandler(reserveQuotaRpc)
  async reserve({ principal, request }: RpcCall<ReserveQuotaRequest>): Promise<ReservedQuota> {
    const { limit, ...rest } = request;
    const { organizationId } = principal;
    const reservation = { ...rest, organizationId };
    const leftOf = (used: number): number | null => (limit === null ? null : Math.max(limit - used, 0));
    try {
      const used = await this.database.transaction((tx) => reserveOrThrow(tx, reservation, limit), {
        tenant: organizationId,
      });
      return { reserved: true, left: leftOf(used) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { reserved: false, left: leftOf(error.used) };
    }
  }
}

async function reserveOrThrow(
  tx: Transaction,
  reservation: Parameters<typeof reserve>[1],
  limit: number | null,
): Promise<number> {
  const { isReserved, used } = await reserve(tx, reservation, limit);
  if (!isReserved) throw new Refused(used);
  return used;
}
