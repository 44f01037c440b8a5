import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { Channel } from './channel/channel.entity.js';
import { keepMonths } from './keep-months/keep-months.js';
import { Message } from './message/message.entity.js';
import { messagingConfig } from './messaging.config.js';
import { MessagingModule } from './messaging.module.js';
import { takeBackRestored } from './take-back-restored/take-back-restored.js';

await serve('messaging', () => {
  const config = messagingConfig();
  return {
    config,
    module: MessagingModule.of(config),
    entities: [Channel, Message],
    onRestored: takeBackRestored,
    keepPartitions: (database, log, mayDrop) =>
      keepMonths(database, mayDrop ? config.MESSAGING_RETENTION_DAYS : 0, log),
  };
});
