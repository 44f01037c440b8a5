import { Controller, Get, Inject, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { PlanView } from '@switchboard/contracts/gateway/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, RpcUnanswered } from '@switchboard/nats';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { principalOf, sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';

/** `GET /app/api/plan`. Source: docs/api-behaviour.md#plans. */
@Controller('app/api/plan')
export class GetPlanController {
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
      summary: 'Plan, limits and subscription',
      description: 'What the organization pays for, with the exceptions that were made for it.',
      answers: { 200: { description: 'The plan.', body: 'Plan' } },
    },
  })
  async get(@Req() request: RequestOf<undefined>): Promise<PlanView> {
    const [state, usage] = await Promise.all([
      this.people.planOf(sessionOf(request).organization.id),
      this.usageOf(principalOf(request)),
    ]);
    const { plan, subscriptionStatus, excludedScopes, seatsTaken, ...limits } = state;
    return { plan, subscriptionStatus, limits, excludedScopes, seatsTaken, usage };
  }

  /** The plan is worth showing without it. */
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
  return error instanceof AppError && error.code === gatewayErrors.SERVICE_UNAVAILABLE.code;
}
