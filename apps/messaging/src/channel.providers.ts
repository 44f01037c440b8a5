import { ForeignLineReader } from './channel/foreign-lines.js';
import { ShowToken } from './channel/show-token.js';
import { ChangeChannel } from './change-channel/change-channel.js';
import { ChangeChannelHandler } from './change-channel/change-channel.handler.js';
import { ConnectChannel } from './connect-channel/connect-channel.js';
import { ConnectChannelHandler } from './connect-channel/connect-channel.handler.js';
import { ForeignLinesHandler } from './foreign-lines/foreign-lines.handler.js';
import { GetChannelHandler } from './get-channel/get-channel.handler.js';
import { ListChannelsHandler } from './list-channels/list-channels.handler.js';
import { ManagedChannelsHandler } from './list-channels/managed-channels.handler.js';
import { TestChannel } from './test-channel/test-channel.js';
import { TestChannelHandler } from './test-channel/test-channel.handler.js';

/** What answers requests about channels. */
export const channelControllers = [
  ConnectChannelHandler,
  ChangeChannelHandler,
  TestChannelHandler,
  GetChannelHandler,
  ListChannelsHandler,
  ManagedChannelsHandler,
  ForeignLinesHandler,
];

/** The use cases behind it. */
export const channelProviders = [ConnectChannel, ChangeChannel, TestChannel, ShowToken, ForeignLineReader];
