export { Budget, DEADLINE_HEADER } from './budget.js';
export { connectNats, isUserRefused, type NatsConnection, type NatsOptions } from './connection.js';
export { durableName, durableNames } from './durable-names.js';
export { DynamicShares } from './dynamic-shares.js';
export { IncarnationMirror, type Incarnation, type MirroredIncarnation } from './incarnation-mirror.js';
export { JsonText } from './json-text.js';
export { LinkState } from './link-state.js';
export { DirectLink } from './direct-link/direct-link.js';
export { RPC_PATH, RpcOverHttpServer } from './direct-link/rpc-over-http.server.js';
export { Announcer } from './direct-link/announcer.js';
export {
  ConnectionLost,
  EventPublisher,
  Unpublishable,
  type PublishAck,
  type StoredEvent,
  type StreamState,
} from './event-publisher.js';
export {
  administratorOf,
  BROKER_ACCOUNT,
  natsAccounts,
  type NatsAccount,
  type NatsExport,
  type NatsImport,
} from './nats-accounts.js';
export { natsServerSettings, type NatsServerSetting } from './nats-server-settings.js';
export { natsUsers, PROVISIONER, type NatsUser } from './nats-users.js';
export { provision, provisionConsumer, restartConsumers } from './provision.js';
export type { DeliveredEvent } from './delivered-event.js';
export { PullConsumer } from './pull-consumer.js';
export type { Disposition, PullConsumerOptions, Unhurried } from './pull-consumer-options.js';
export { RpcClient, type RpcClientOptions, type RpcLimits, type RpcMessage } from './rpc-client.js';
export { ANSWER_BYTES_MAX } from './rpc-parts.js';
export { RpcUnanswered } from './rpc-unanswered.js';
export { RpcHandler } from './rpc-handler.decorator.js';
export { RpcServerStrategy, type RpcCall, type RpcServerOptions } from './rpc-server.strategy.js';
export { ThrottledLog } from './throttled-log.js';
export { activeTraceparent, contextOfTraceparent, traceparentOf } from './trace-headers.js';
export { wakeSubject, WakeUps } from './wake-ups.js';
