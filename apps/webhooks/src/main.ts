import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { raiseFeed } from './event/restored-feed.js';
import { keepWebhookPartitions } from './keep-partitions.js';
import { webhooksConfig } from './webhooks.config.js';
import { WebhooksModule } from './webhooks.module.js';

await serve('webhooks', () => {
  const config = webhooksConfig();
  return {
    config,
    module: WebhooksModule.of(config),
    keepPartitions: (database, _log, mayDrop) =>
      keepWebhookPartitions(database, mayDrop ? config.WEBHOOKS_RETENTION_DAYS : null),
    onRestored: raiseFeed,
  };
});
