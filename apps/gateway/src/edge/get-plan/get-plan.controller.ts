import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { PlanView } from '@switchboard/contracts/gateway/http';
import { PEOPLE, type People } from '../../organization/people.contract.js';
import { sessionOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';

/** `GET /app/api/plan`. Source: decisions, "Plans and billing". */
@Controller('app/api/plan')
export class GetPlanController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

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
    const state = await this.people.planOf(sessionOf(request).organization.id);
    const { plan, subscriptionStatus, excludedScopes, seatsTaken, ...limits } = state;
    return { plan, subscriptionStatus, limits, excludedScopes, seatsTaken };
  }
}
