import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { LOG, PollingWorker, TenantByTenant, type Log, type RoundResult } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { reportUnknown } from '../callback/report-unknown.js';
import { takeStatuses } from '../callback/take-statuses.js';
import { WaitingSignal } from '../callback/waiting-signal.js';
import { nextLooks, setAside, takeDue } from '../callback/waiting-status.repository.js';

/** Statuses of one organization in a transaction: then it is the next one's turn. */
const PART_MAX = 200;
/** How often it learns of those that other replicas set aside and did not live to look for. */
const IDLE_MS = 5_000;
/** What is due by a few milliseconds more goes along. */
const GATHER_MS = 25;

/**
 * Looks for the messages of statuses that were not known: apart from the callbacks that come, and organization by organization,
 * so that many of one hold up nothing of another.
 *
 * Most that are never found belong to another system that sends from the same line: ours are stored before the upstream hears
 * of them, and carry our reference.
 */
@Injectable()
export class LookAgainWorker extends PollingWorker {
  private readonly tenants = new TenantByTenant((organizationId, error) =>
    this.log.error('callback.look-again-failed', error, { organizationId }),
  );

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'query' | 'transaction'>,
    @Inject(Relay) private readonly relay: Pick<Relay, 'wake'>,
    @Inject(LOG) private readonly log: Log,
    signal: WaitingSignal,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'callback.look-again-failed' });
  }

  protected async round(): Promise<RoundResult> {
    const looks = await nextLooks(this.database, this.tenants.leftAlone());
    const due = looks.filter(({ inMs }) => inMs <= 0);
    if (due.length > 0) {
      let looked = 0;
      await this.tenants.each(due, async ({ organizationId }) => (looked += await this.lookAgain(organizationId)));
      // What another replica holds is not there to be taken, and may be due still.
      return looked > 0 || GATHER_MS;
    }
    return looks[0] ? Math.min(looks[0].inMs + GATHER_MS, IDLE_MS) : false;
  }

  /** @returns at how many statuses it has looked */
  private async lookAgain(organizationId: string): Promise<number> {
    const { looked, taken, unknown } = await this.database.transaction(
      async (tx) => {
        const statuses = await takeDue(tx, organizationId, PART_MAX);
        const missed = await takeStatuses(tx, statuses);
        const given = await setAside(
          tx,
          missed.map((status) => ({ ...status, looks: status.looks + 1 })),
        );
        return { looked: statuses.length, taken: statuses.length - missed.length, unknown: given };
      },
      { hasShortLocks: true },
    );
    if (taken > 0) this.relay.wake();
    reportUnknown(this.log, unknown);
    return looked;
  }
}
