import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { jobErrors } from '@switchboard/contracts/templates/job-errors';
import { getJobRpc } from '@switchboard/contracts/templates/job-rpc';
import { RpcClient } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, TenantByTenant, type Log } from '@switchboard/platform';
import {
  closeReservation,
  confirmReservations,
  unconfirmedReservations,
  type UnconfirmedReservation,
} from '../quota/quota-reservation.repository.js';

/** Far longer than a job may take from its reservation to its commit. Source: docs/adr/0014-quota.md */
const UNCONFIRMED_MS = 15 * 60_000;
const ROUND_MAX = 50;
const IDLE_MS = 60_000;

/** Asks for the jobs of reservations that no event has confirmed, and gives back what belongs to no job. */
@Injectable()
export class ConfirmReservationsWorker extends PollingWorker {
  private readonly tenants = new TenantByTenant((organizationId, error) =>
    this.log.error('quota.confirm-failed', error, { organizationId }),
  );

  constructor(
    private readonly database: Database,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'quota.confirm-failed' });
  }

  async round(): Promise<boolean> {
    const open = await unconfirmedReservations(this.database, UNCONFIRMED_MS, ROUND_MAX, this.tenants.leftAlone());
    const decided = await this.tenants.each(open, (reservation) => this.decide(reservation));
    return open.length === ROUND_MAX && decided > 0;
  }

  private async decide(reservation: UnconfirmedReservation): Promise<void> {
    const isThere = await this.isThere(reservation);
    const released = await this.database.transaction(async (tx) => {
      if (!isThere) return closeReservation(tx, reservation);
      confirmReservations(tx, [reservation]);
      return 0;
    });
    if (released > 0) this.log.warn('quota.reservation-abandoned', { ...reservation, count: released });
  }

  private async isThere({ organizationId, jobId }: UnconfirmedReservation): Promise<boolean> {
    try {
      await this.rpc.call(getJobRpc, systemPrincipal(organizationId, 'quota'), { id: jobId });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === jobErrors.JOB_NOT_FOUND.code) return false;
      throw error;
    }
  }
}
