import { Inject, Injectable } from '@nestjs/common';
import {
  webhooksMessagingConsumer,
  webhooksOptOutsConsumer,
  webhooksTemplatesConsumer,
} from '@switchboard/contracts/consumers';
import { PLATFORM, type Platform } from '@switchboard/platform';
import { FeedWakeUps } from '../event/feed-wake-ups.js';
import { LaneWakeUps } from '../lane/lane-wake-ups.js';
import { FanOutConsumer } from './fan-out.consumer.js';

/** Messages and conversations: of one stream by one consumer, so that a conversation's events stay in their order. */
@Injectable()
export class FanOutMessagingConsumer extends FanOutConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, wakeUps: LaneWakeUps, feedWakeUps: FeedWakeUps) {
    super(platform, wakeUps, feedWakeUps, { consumer: webhooksMessagingConsumer, isExclusive: true, batchesMax: 2 });
  }
}

/** Opt-outs. */
@Injectable()
export class FanOutOptOutsConsumer extends FanOutConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, wakeUps: LaneWakeUps, feedWakeUps: FeedWakeUps) {
    super(platform, wakeUps, feedWakeUps, { consumer: webhooksOptOutsConsumer, isExclusive: false });
  }
}

/** Templates. */
@Injectable()
export class FanOutTemplatesConsumer extends FanOutConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, wakeUps: LaneWakeUps, feedWakeUps: FeedWakeUps) {
    super(platform, wakeUps, feedWakeUps, { consumer: webhooksTemplatesConsumer, isExclusive: false });
  }
}
