import type { RpcDefinition, RpcRequestOf, RpcResponseOf } from '@switchboard/contracts/grammar/define-rpc';
import { Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';
import type { RpcCall } from './rpc-server.strategy.js';

/**
 * Lets what a handler threw reach the rpc server as it is. Without it Nest logs everything but its own exceptions and
 * hands on a bare «Internal server error», and every refusal would become INTERNAL.
 */
@Catch()
class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

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
