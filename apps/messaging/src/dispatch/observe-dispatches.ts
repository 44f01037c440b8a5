import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { metrics } from '@opentelemetry/api';
import { Database } from '@switchboard/postgres';
import { LOG, CachedGauge, type Log } from '@switchboard/platform';
import { DispatchJournal } from './dispatch-journal.js';
import { countOpenDispatches } from './dispatch.repository.js';

/**
 * Shows how many dispatches are open: a backlog of RETRY is an upstream that is away, one of UNKNOWN needs eyes. And whether a kill
 * would leave evidence of what had begun.
 */
@Injectable()
export class ObserveDispatches implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly journal: DispatchJournal,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { database, journal, log } = this;
    const open = new CachedGauge({ name: 'open dispatches', read: () => countOpenDispatches(database), log });
    open.observeAs(
      'switchboard_open_dispatches',
      'Messages that are not settled, by the state of their attempt; each counted up to 10,001',
      (states) => states.map(({ state, count }) => ({ value: count, labels: { state } })),
    );
    if (journal.folder === '') return;
    metrics
      .getMeter('@switchboard/messaging')
      .createObservableGauge('switchboard_dispatch_journal_open', {
        description:
          '1 while the journal of attempts can be written, 0 while it cannot: a kill then leaves what was under way UNKNOWN. ' +
          'Absent where no folder is named',
      })
      .addCallback((result) => result.observe(journal.isOpen ? 1 : 0));
  }
}
