import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CachedGauge, LOG, type Log } from '@switchboard/platform';
import { figuresMetrics } from '../fact/figures-metrics.js';
import { RebuildRepository } from './rebuild.repository.js';

/** Shows what is still to be counted anew; one that stays open is one that fails. */
@Injectable()
export class ObserveRebuilds implements OnApplicationBootstrap {
  constructor(
    private readonly rebuilds: RebuildRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    figuresMetrics();
    const open = new CachedGauge({ name: 'open rebuilds', read: () => this.rebuilds.open(), log: this.log });
    open.observeAs(
      'switchboard_figures_rebuilds_open',
      'Organizations whose figures are to be counted anew',
      (count) => [{ value: count }],
    );
  }
}
