import { randomUUID } from 'node:crypto';
import { metrics } from '@opentelemetry/api';
import type { IncarnationMirror } from '@switchboard/nats';
import type { Database } from '@switchboard/postgres';
import { IncarnationLedger, type IncarnationRow } from './incarnation-ledger.js';
import { compareIncarnations } from './incarnation.policy.js';
import { inTurn } from './take-back-turn.js';

/** A database that turned out to be from a backup. */
export interface Restore {
  /** What it holds was written before this; what is newer has come since. */
  readonly writtenBefore: Date;
  /** Of the backup, and of the state that is gone. */
  readonly number: number;
  readonly lastNumber: number;
}

/** A database that went on as a promoted standby, or was recovered to its last moment: the last seconds of before may be missing. */
export interface Promotion {
  readonly timeline: number;
  readonly lastTimeline: number;
}

/** What the keeper of an incarnation works with. */
export interface IncarnationKeeperOptions {
  readonly database: Pick<Database, 'query' | 'connect'>;
  readonly mirror: Pick<IncarnationMirror, 'read' | 'write'>;
  /** A second witness, of what was lost since the last renewal: see `noticeRestore`. */
  readonly noticeRestore: () => Promise<boolean>;
  /**
   * Takes back what the backup would have done again. Before anything that is due is sent, and in one process at a time; it
   * may run more than once.
   */
  readonly onRestored: (restore: Restore) => Promise<void>;
  /** Called once for each restore. */
  readonly report: (restore: Restore) => void;
  /** Called for a promotion that is no restore by any witness; once more where the broker could not be shown it. */
  readonly reportPromotion: (promotion: Promotion) => void;
}

/** Draws random tokens so often: a restore to a moment since the last one is noticed by the events that are gone alone. */
export const RENEW_INTERVAL_MS = 5_000;

/**
 * Notices that a service's database was restored from a backup, whoever has written to it since.
 *
 * Each look draws a new token in the database and shows it to the broker. A backup holds an older one, which is noticed when
 * a process looks at it first, or again after its own token has gone. Then the service's consumers begin anew, by the epoch,
 * and what was due is taken back; only then is the database called compared (`IS_COMPARED`). Every replica looks.
 */
export class IncarnationKeeper {
  private readonly ledger: IncarnationLedger;
  /** The row as this process has left it; `sequence` is undefined while the broker may hold another. */
  private known: { readonly row: IncarnationRow; readonly sequence: number | undefined } | undefined;
  private readonly restores = metrics.getMeter('@switchboard/outbox').createCounter('switchboard_restores_total', {
    description:
      'Times that the database was found to be from a backup and older than the broker; its consumers began anew',
  });

  private readonly promotions = metrics.getMeter('@switchboard/outbox').createCounter('switchboard_promotions_total', {
    description:
      'Times that PostgreSQL was found on another timeline though nothing of this service was found to be missing',
  });

  constructor(private readonly options: IncarnationKeeperOptions) {
    this.ledger = new IncarnationLedger(options.database);
    this.restores.add(0);
    this.promotions.add(0);
  }

  /**
   * One look. While the broker is away, a process that has compared before goes on to call the database compared.
   *
   * @throws when the database or the broker does not answer; to be repeated
   */
  async look(): Promise<void> {
    const { known } = this;
    if (known?.sequence === undefined) {
      if (known) await this.ledger.confirm(known.row.token, 'same server');
      return this.compare();
    }
    const row = await this.ledger.renew(known.row.token, randomUUID(), 'same server');
    if (!row) return this.compare();
    this.known = { row, sequence: undefined };
    this.known = { row, sequence: await this.options.mirror.write(row, known.sequence) };
  }

  private async compare(): Promise<void> {
    const { mirror, noticeRestore } = this.options;
    // Before anything is compared: what the relay finds later would be a second restore.
    await noticeRestore();
    // In this order: other replicas go on meanwhile, and a row that is read first would be older than what they have shown since.
    const shown = await mirror.read();
    const found = await this.ledger.load();
    if (this.known?.row.token !== found?.token) this.known = undefined;
    const comparison = compareIncarnations(found, shown);
    let row: IncarnationRow | undefined;
    if (!found) {
      const next = { number: (shown?.number ?? 0) + 1, token: randomUUID(), previousToken: shown?.token ?? null };
      await this.ledger.begin({ ...next, consumerEpoch: shown?.consumerEpoch ?? 0 });
      row = await this.ledger.load();
    } else if (comparison === 'restored' && shown) {
      row = await inTurn(this.options.database, () => this.takeBack(found, shown));
    } else if (shown?.token === found.token) row = await this.ledger.renew(found.token, randomUUID(), 'compared');
    else row = await this.ledger.confirm(found.token, 'compared');
    // Another process has written meanwhile: the next look sees what.
    if (!row) return;
    if (comparison === 'same') this.compareTimelines(row.timeline, shown?.timeline ?? null);
    this.known = { row, sequence: undefined };
    this.known = { row, sequence: await mirror.write(row, shown?.sequence ?? 0) };
  }

  /** What was acknowledged to the broker in the last moments of the timeline before may be gone, and no token of ours shows it. */
  private compareTimelines(timeline: number | null, lastTimeline: number | null): void {
    if (timeline === null || lastTimeline === null || timeline === lastTimeline) return;
    this.promotions.add(1);
    this.options.reportPromotion({ timeline, lastTimeline });
  }

  private async takeBack(
    found: IncarnationRow,
    shown: Parameters<IncarnationLedger['replace']>[2],
  ): Promise<IncarnationRow | undefined> {
    const { onRestored, report } = this.options;
    const restore = { writtenBefore: found.writtenBefore, number: found.number, lastNumber: shown.number };
    // Another process may have taken it back by now, and the service has gone on since.
    if ((await this.ledger.load())?.token !== found.token) return undefined;
    await onRestored(restore);
    const row = await this.ledger.replace(found.token, randomUUID(), shown);
    if (!row) return undefined;
    this.restores.add(1);
    report(restore);
    return row;
  }
}
