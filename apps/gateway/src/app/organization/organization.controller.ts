import { Body, Controller, Get, Inject, Patch } from '@nestjs/common';
import type { OrganizationView } from '@switchboard/contracts/gateway/http';
import { CurrentSession, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { ChangeOrganizationBody, changeOrganizationBody } from './change-organization.body.js';

/** `/app/api/organization`: that of the session. Source: docs/api-behaviour.md#app-second-factor. */
@Controller('app/api/organization')
export class OrganizationController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

  @Get()
  @Declare({
    access: 'session',
    roles: null,
    errors: [],
    docs: {
      operationId: 'getOrganization',
      tag: 'Session',
      summary: 'Read the organization',
      description: 'The organization of the session, and what it requires of its members.',
      answers: { 200: { description: 'The organization.', body: 'Organization' } },
    },
  })
  get(@CurrentSession() { organization, secondFactor }: CurrentSession): OrganizationView {
    return { ...organization, isSecondFactorRequired: secondFactor.isRequired };
  }

  @Patch()
  @Declare({
    access: 'session',
    roles: ['OWNER'],
    errors: [],
    docs: {
      operationId: 'changeOrganization',
      tag: 'Session',
      summary: 'Require a second factor',
      description:
        'For owners. Members without one get 403 `SECOND_FACTOR_ENROLMENT_REQUIRED` from their next request on, owners too, and can only enable one, read their session, switch the organization and sign out.',
      body: changeOrganizationBody,
      answers: { 200: { description: 'The organization as it is now.', body: 'Organization' } },
    },
  })
  async change(
    @CurrentSession() session: CurrentSession,
    @Body() { isSecondFactorRequired }: ChangeOrganizationBody,
    @Source() source: Source,
  ): Promise<OrganizationView> {
    await this.people.secondFactors.requireIn(session, isSecondFactorRequired, source);
    return { ...session.organization, isSecondFactorRequired };
  }
}
