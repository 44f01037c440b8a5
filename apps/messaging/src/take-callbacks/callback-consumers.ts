import type { FactoryProvider } from '@nestjs/common';
import {
  messagingCallbacksConsumer,
  messagingChangesConsumer,
  messagingInboundConsumer,
  messagingPreferencesConsumer,
} from '@switchboard/contracts/consumers';
import { Relay } from '@switchboard/outbox';
import { LOG, PLATFORM, type Log, type Platform } from '@switchboard/platform';
import { WaitingSignal } from '../callback/waiting-signal.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ResolveContactsClient } from './resolve-contacts.client.js';
import { TakeCallbacksConsumer } from './take-callbacks.consumer.js';

type Needs = [Platform, Log, Relay, ChannelRepository, ResolveContactsClient, WaitingSignal];

/** A consumer for each kind of callback: thousands of statuses hold up no STOP. */
export const callbackConsumers = [
  messagingCallbacksConsumer,
  messagingInboundConsumer,
  messagingPreferencesConsumer,
  messagingChangesConsumer,
].map((topology): FactoryProvider => {
  return {
    provide: `consumer ${topology.name}`,
    inject: [PLATFORM, LOG, Relay, ChannelRepository, ResolveContactsClient, WaitingSignal],
    useFactory: (...needs: Needs) => new TakeCallbacksConsumer(topology, ...needs),
  };
});
