import { Controller, Get, Inject } from '@nestjs/common';
import type { PlanView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, RpcUnanswered } from '@switchboard/nats';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';

/** `/app/api/plan`. Source: docs/api-behaviour.md#plans. */
@Controller('app/api/plan')
export class PlanController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly rpc: RpcClient,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    docs: {
      operationId: 'getPlan',
      tag: 'Plan',
      summary: 'Read the plan, its limits and the subscription',
      description: 'The plan of the organization, with its own exceptions.',
      answers: { 200: { description: 'The plan.', body: 'Plan' } },
    },
  })
  async get(@Principal() principal: Principal): Promise<PlanView> {
    const [state, usage] = await Promise.all([this.people.planOf(principal.organizationId), this.usageOf(principal)]);
    const { plan, subscriptionStatus, excludedScopes, seatsTaken, ...limits } = state;
    return { plan, subscriptionStatus, limits, excludedScopes, seatsTaken, usage };
  }

  /** Null when messaging does not answer: the plan is shown without it. */
  private async usageOf(principal: Principal): Promise<PlanView['usage']> {
    try {
      const { month, used } = await this.rpc.call(getQuotaRpc, principal, {});
      return { month, messages: used };
    } catch (error) {
      if (error instanceof RpcUnanswered || isUnavailable(error)) return null;
      throw error;
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === serviceErrors.SERVICE_UNAVAILABLE.code;
}
