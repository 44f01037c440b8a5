import 'reflect-metadata';
import { statement } from '@switchboard/postgres';
import { serve } from '@switchboard/platform';
import { Channel } from './channel/channel.entity.js';
import { Message } from './message/message.entity.js';
import { messagingConfig } from './messaging.config.js';
import { MessagingModule } from './messaging.module.js';
import { takeBackRestored } from './take-back-restored/take-back-restored.js';

const keepMessagePartitions = statement('messaging.keep-partitions', 'SELECT keep_message_partitions()');

const config = messagingConfig();
await serve({
  service: 'messaging',
  config,
  module: MessagingModule.of(config),
  entities: [Channel, Message],
  onRestored: takeBackRestored,
  keepPartitions: async (database) => void (await database.query(keepMessagePartitions, [])),
});
