import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { analyticsConfig } from './analytics.config.js';
import { AnalyticsModule } from './analytics.module.js';
import { recountRestored } from './rebuild/recount-restored.js';

const keepFactPartitions = statement('analytics.keep-partitions', 'SELECT keep_fact_partitions()');

await serve('analytics', () => ({
  config: analyticsConfig(),
  module: AnalyticsModule,
  onRestored: recountRestored,
  keepPartitions: async (database) => void (await database.query(keepFactPartitions, [])),
}));
