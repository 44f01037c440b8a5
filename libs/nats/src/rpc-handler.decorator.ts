import type { RpcDefinition, RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { RethrowFilter } from './rethrow.filter.js';
import type { RpcCall } from './rpc-server.strategy.js';

/** The only signature that the decorator accepts: a handler that does not fit its rpc does not compile. */
type RpcMethod<Rpc> = (call: RpcCall<RpcRequestOf<Rpc>>) => Promise<RpcResponseOf<Rpc>>;

/** Marks the method that answers an rpc; its types are held to the contract. */
export function RpcHandler<Rpc extends RpcDefinition>(rpc: Rpc) {
  return <Method extends RpcMethod<Rpc>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    MessagePattern(rpc.subject)(target, key, descriptor);
    UseFilters(RethrowFilter)(target, key, descriptor);
  };
}
