import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, CachedGauge, type Log } from '@switchboard/platform';
import { countOpenDispatches } from './dispatch.repository.js';

/** Shows how many dispatches are open; a backlog of RETRY is an upstream that is away, one of UNKNOWN needs eyes. */
@Injectable()
export class ObserveDispatches implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { database, log } = this;
    const open = new CachedGauge({ name: 'open dispatches', read: () => countOpenDispatches(database), log });
    open.observeAs(
      'switchboard_open_dispatches',
      'Messages that are not settled, by the state of their attempt; each counted up to 10,001',
      (states) => states.map(({ state, count }) => ({ value: count, labels: { state } })),
    );
  }
}
