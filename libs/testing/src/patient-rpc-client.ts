import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { RpcClient, type JsonText, type RpcLimits } from '@switchboard/nats';
import { TRY_MS } from './patient-budget.js';

/** Calls as a service does, for tests of what is answered: a machine that is busy with other work makes no answer late. */
export class PatientRpcClient extends RpcClient {
  /** False: with the deadlines of the rpcs, for tests of what is answered when they pass, and with processes that are killed. */
  isPatient = true;

  override async call<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request | JsonText<Request>,
    limits: RpcLimits = {},
  ): Promise<Response> {
    return super.call(rpc, principal, request, this.isPatient ? { deadlineMs: TRY_MS, ...limits } : limits);
  }
}
