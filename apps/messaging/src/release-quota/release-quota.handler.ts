import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { releaseQuotaRpc, type ReleaseQuotaRequest } from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, type Transaction } from '@switchboard/postgres';
import { closeReservation, releaseRecipients } from '../quota/quota-reservation.repository.js';

/** As the contract says. */
const RECIPIENTS_MAX = 5_000;

/** Answers `rpc.messaging.release-quota`. */
@Controller()
export class ReleaseQuotaHandler {
  constructor(private readonly database: Database) {}

  @RpcHandler(releaseQuotaRpc)
  async release({ principal, request }: RpcCall<ReleaseQuotaRequest>): Promise<{ readonly released: number }> {
    const { jobId, recipients } = request;
    const { organizationId } = principal;
    const key = { organizationId, jobId };
    if (recipients !== null && recipients.length > RECIPIENTS_MAX) {
      throw new AppError(serviceErrors.VALIDATION_FAILED, `\`recipients\` must hold at most ${RECIPIENTS_MAX} indexes`);
    }
    const release = (tx: Transaction): Promise<number> =>
      recipients === null ? closeReservation(tx, key) : releaseRecipients(tx, key, recipients);
    return { released: await this.database.transaction(release, { tenant: organizationId }) };
  }
}
