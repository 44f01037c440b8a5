import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { JsonText, RpcLimits } from '@switchboard/nats';
import { askAgain } from '../ask-again.js';
import { PatientRpcClient } from '../patient-rpc-client.js';

/** Patient, and asks again where a process has just stood still, which takes nothing for a moment. A call with limits is made once. */
export class AskingClient extends PatientRpcClient {
  override async call<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request | JsonText<Request>,
    limits?: RpcLimits,
  ): Promise<Response> {
    if (limits) return super.call(rpc, principal, request, limits);
    const asked = async (): Promise<{ response: Response }> => ({
      response: await super.call(rpc, principal, request),
    });
    return (await askAgain(asked)).response;
  }
}
