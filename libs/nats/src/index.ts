export { connectNats, inboxPrefix, type NatsConnection, type NatsOptions } from './connection.js';
export { EventPublisher, type StoredEvent } from './event-publisher.js';
export { natsUsers, PROVISIONER, type NatsUser } from './nats-users.js';
export { provision, provisionConsumer } from './provision.js';
export { PullConsumer, type DeliveredEvent, type Disposition, type PullConsumerOptions } from './pull-consumer.js';
export { RpcClient, RpcUnanswered, type RpcMessage } from './rpc-client.js';
export { RpcHandler } from './rpc-handler.decorator.js';
export { RpcServerStrategy, type RpcCall, type RpcServerOptions } from './rpc-server.strategy.js';
export { activeTraceparent, contextOfTraceparent, traceparentOf } from './traceparent.js';
